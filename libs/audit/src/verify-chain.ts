import type { FileKeyStore } from '@crate/auth';
import type { AuditLog, ChainState, StoredAuditRow } from './audit-log.js';
import { nextHash, type ChainLink } from './chain.js';
import { judgeCheckpoint, type SignedCheckpoint } from './checkpoint.js';
import type { AuditRecord } from './record.js';

/** Something that is not as it was written. */
export interface ChainProblem {
  /** The row it was found at. */
  readonly seq: number;
  /** For the operator: what is wrong, and where it can have happened. */
  readonly message: string;
}

/** What was found, and where to go on. */
export interface ChainReport {
  /** Rows that were looked at. */
  readonly checked: number;
  readonly checkpoints: number;
  /** Checkpoints among them whose key is not known here: their signatures prove nothing. */
  readonly unproven: number;
  /** The last row looked at; verification goes on behind it. */
  readonly upTo: ChainLink;
  /** Everything up to the end was looked at. */
  readonly isComplete: boolean;
  readonly problems: readonly ChainProblem[];
}

export interface VerifyOptions {
  readonly log: AuditLog;
  readonly keys: Pick<FileKeyStore, 'findRecordKey'>;
  /** Where an earlier part ended; absent, or cut since: the oldest row kept. */
  readonly from?: ChainLink;
  /** At most so many rows. */
  readonly limit: number;
}

const PAGE = 2_000;
const MAX_PROBLEMS = 100;

/**
 * Recomputes the chain from its text, independently of the database's own functions. Finds rows that were changed, left out or put
 * in, a beginning that was cut without saying so, an end that is missing, and checkpoints that the rows contradict.
 */
export async function verifyChain(options: VerifyOptions): Promise<ChainReport> {
  for (;;) {
    // Both ends first: rows that come meanwhile are for the next time.
    const state = await options.log.state();
    const report = await verifyBetween(state, options);
    if (report.problems.length === 0) return report;
    // What was cut while it was looked at seems to be missing.
    const { floor } = await options.log.state();
    if (floor.seq === state.floor.seq) return report;
  }
}

async function verifyBetween({ head, floor }: ChainState, options: VerifyOptions): Promise<ChainReport> {
  const { log, keys, from = floor, limit } = options;
  const goesOn = from.seq > floor.seq;
  const walk = new ChainWalk(goesOn ? from : floor, keys);
  if (!goesOn && !(await isCutRecorded(log, floor))) walk.missesCut(floor);
  while (walk.checked < limit && walk.at.seq < head.seq) {
    const count = Math.min(PAGE, limit - walk.checked, head.seq - walk.at.seq);
    const rows = await log.rowsFrom(walk.at.seq + 1, count);
    if (rows.length === 0) break;
    const checkpoints = await log.checkpoints(walk.at.seq, PAGE);
    for (const row of rows) walk.take(row);
    walk.compare(checkpoints);
  }
  const isComplete = walk.checked < limit || walk.at.seq >= head.seq;
  if (isComplete) walk.end(head, await log.checkpoints(Math.max(walk.at.seq, head.seq), PAGE));
  const problems = walk.problems.slice(0, MAX_PROBLEMS);
  return {
    checked: walk.checked,
    checkpoints: walk.judged,
    unproven: walk.unproven,
    upTo: walk.at,
    isComplete,
    problems,
  };
}

/** Whether the chain itself says that the rows up to its beginning were cut. A cut moves the beginning, so the last one tells. */
async function isCutRecorded(log: AuditLog, floor: ChainLink): Promise<boolean> {
  if (floor.seq === 0) return true;
  const cut = (await log.lastCut())?.cut;
  return cut?.to === floor.seq && cut.hash === floor.hash;
}

class ChainWalk {
  readonly problems: ChainProblem[] = [];
  checked = 0;
  judged = 0;
  unproven = 0;
  /** Hashes of the rows since the last comparison. */
  private readonly hashes = new Map<number, string>();

  constructor(
    public at: ChainLink,
    private readonly keys: Pick<FileKeyStore, 'findRecordKey'>,
  ) {}

  take(row: StoredAuditRow): void {
    this.checked += 1;
    const expected = this.at.seq + 1;
    if (row.seq !== expected) this.found(expected, missing(expected, row.seq - 1));
    else if (nextHash(this.at.hash, row.seq, row.line) !== row.hash) this.found(row.seq, doesNotFollow(row.seq));
    if (!hasSameColumns(row)) this.found(row.seq, `Row ${row.seq}: its columns are not what its line says`);
    // From here on by what is stored, so that later rows are judged by themselves.
    this.at = { seq: row.seq, hash: row.hash };
    this.hashes.set(row.seq, row.hash);
  }

  /** Holds the rows taken since the last time against the checkpoints among them. */
  compare(checkpoints: readonly SignedCheckpoint[]): void {
    for (const checkpoint of checkpoints.filter(({ seq }) => seq <= this.at.seq)) {
      const { seq, hash, time } = checkpoint;
      if (!this.isGenuine(checkpoint) || this.hashes.get(seq) === hash) continue;
      this.found(seq, `Row ${seq} is not the one of the checkpoint of ${time}: it or rows before it were rewritten`);
    }
    this.hashes.clear();
  }

  /** `checkpoints` are those behind the head. */
  end(head: ChainLink, checkpoints: readonly SignedCheckpoint[]): void {
    const next = this.at.seq + 1;
    if (head.seq >= next) this.found(next, `${missing(next, head.seq)} at the end`);
    else if (head.hash !== this.at.hash) this.found(head.seq, `Row ${head.seq} is not the one that the head tells of`);
    const last = checkpoints.filter((checkpoint) => this.isGenuine(checkpoint)).at(-1);
    if (!last) return;
    this.found(next, `${missing(next, last.seq)} at the end: the checkpoint of ${last.time} knows of them`);
  }

  missesCut({ seq }: ChainLink): void {
    this.found(seq, `Rows up to ${seq} are gone, and no later row says that they were cut`);
  }

  /** A signature by a key that nobody knows any more proves nothing, but is no offence either. */
  private isGenuine(checkpoint: SignedCheckpoint): boolean {
    this.judged += 1;
    const verdict = judgeCheckpoint(checkpoint, this.keys);
    if (verdict === 'unknownKey') this.unproven += 1;
    if (verdict !== 'forged') return true;
    this.found(checkpoint.seq, `The checkpoint at row ${checkpoint.seq} has a wrong signature`);
    return false;
  }

  private found(seq: number, message: string): void {
    this.problems.push({ seq, message });
  }
}

function doesNotFollow(seq: number): string {
  return `Row ${seq} does not follow from row ${seq - 1}: one of them was changed, or others stood in their place`;
}

function missing(first: number, last: number): string {
  return first === last ? `Row ${first} is missing` : `Rows ${first} to ${last} are missing`;
}

function hasSameColumns({ line, columns }: StoredAuditRow): boolean {
  try {
    const record = JSON.parse(line) as AuditRecord;
    const { time, user, project, verb, resource } = record;
    return JSON.stringify({ time, user, project, verb, resource }) === JSON.stringify(columns);
  } catch {
    return false;
  }
}
