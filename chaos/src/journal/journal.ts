import { appendFileSync, readFileSync } from 'node:fs';
import type { Violation } from '../invariants/invariant.js';

/** `not judged`: the test itself could not go on. */
export const RESULTS = ['sound', 'violated', 'not reached', 'not judged'] as const;
export type Result = (typeof RESULTS)[number];

/** What became of one kill point or one seed. */
export interface JournalEntry {
  readonly kind: 'point' | 'seed';
  /** The address of a point, or what a schedule is drawn from: arguments that replay it. */
  readonly what: string;
  /** What seeds mean changes with the generator; this does not. */
  readonly schedule?: string;
  readonly result: Result;
  readonly ms: number;
  readonly boundMs: number;
  readonly at: string;
  readonly commit: string;
  readonly violations?: readonly Violation[];
  readonly error?: string;
  /** Where logs and data were kept. */
  readonly directory?: string;
}

/** Every address there was when a long run began: it goes on with these. */
interface Enumeration {
  readonly kind: 'addresses';
  readonly at: string;
  readonly commit: string;
  readonly addresses: readonly string[];
}

/** A point that is not reached is tried again once: what depends on time may come another time. */
const TRIES_UNREACHED = 2;

/** What was run, one JSON document a line, so that a run can be killed at any time and go on later. */
export class Journal {
  private readonly lines: (JournalEntry | Enumeration)[];

  private constructor(
    private readonly file: string | undefined,
    text: string,
    private readonly commit: string,
  ) {
    this.lines = parse(text);
  }

  /** Without a file nothing is kept beyond this process. */
  static open(file: string | undefined, commit: string): Journal {
    return new Journal(file, file === undefined ? '' : textOf(file), commit);
  }

  get entries(): readonly JournalEntry[] {
    return this.lines.filter((line) => line.kind !== 'addresses');
  }

  /** The newest list of addresses. */
  get addresses(): readonly string[] | undefined {
    return this.enumeration?.addresses;
  }

  /** The newest list, if it is of the code that runs: other code may have other steps. */
  get currentAddresses(): readonly string[] | undefined {
    return this.enumeration?.commit === this.commit ? this.addresses : undefined;
  }

  private get enumeration(): Enumeration | undefined {
    return this.lines.findLast((line) => line.kind === 'addresses');
  }

  noteAddresses(addresses: readonly string[]): void {
    this.write({ kind: 'addresses', ...this.stamp(), addresses });
  }

  note(entry: Omit<JournalEntry, 'at' | 'commit'>): void {
    this.write({ ...entry, ...this.stamp() });
  }

  /** Whether there is nothing to be learnt by running it again. */
  isDone(what: string, schedule?: string): boolean {
    const tries = this.entries.filter((entry) => entry.what === what && entry.schedule === schedule);
    const unreached = tries.filter(({ result }) => result === 'not reached');
    return (
      unreached.length >= TRIES_UNREACHED || tries.some(({ result }) => result === 'sound' || result === 'violated')
    );
  }

  private stamp(): Pick<JournalEntry, 'at' | 'commit'> {
    return { at: new Date().toISOString(), commit: this.commit };
  }

  private write(line: JournalEntry | Enumeration): void {
    this.lines.push(line);
    // Whole lines are appended at once, also by several processes.
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** A line that was cut off tells nothing. */
function parse(text: string): (JournalEntry | Enumeration)[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as JournalEntry | Enumeration];
    } catch {
      return [];
    }
  });
}
