import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { lastWords } from '../last-words.js';
import { replaceFile } from '../secret-file.js';
import { KnownReadiness } from './known-readiness.js';
import { nextChange, type Change, type Slot } from './slots.js';
import type { Versions } from './versions.js';
import { readWanted, type Wanted } from './wanted.js';

/** A slot as its process is known. */
export interface RunningSlot {
  readonly name: string;
  readonly version: string;
  readonly isExtra: boolean;
  readonly restarts: number;
  readonly logFile: string;
}

/** The processes of a service. */
export abstract class ServiceSlots {
  abstract list(service: string): readonly RunningSlot[];
  /** Whether the process says that it is ready. */
  abstract isReady(slot: string): Promise<boolean>;
  /** Name of the slot that is there while versions change. */
  abstract extraName(service: string): string;
  /** Ends what runs in the slot, in order, and starts the version there. */
  abstract startSlot(service: string, slot: string, version: string): Promise<void>;
  abstract stopSlot(slot: string): Promise<void>;
}

export interface ComponentAgentOptions {
  readonly services: readonly string[];
  /** Where wishes lie, and where it is written what is. */
  readonly directory: string;
  readonly versions: Versions;
  readonly slots: ServiceSlots;
  readonly say: (line: string) => void;
}

const EVERY_MS = 300;

/** Runs services in the versions that lifecycle wants, and tells it what runs. It goes on while lifecycle itself is replaced. */
export class ComponentAgent {
  private readonly stopping = new AbortController();
  private readonly written = new Map<string, string>();
  private readonly failures = new Map<string, string>();
  /** What slots said before they ended last. */
  private readonly ends = new Map<string, { readonly restarts: number; readonly words: string }>();
  private readonly readiness: KnownReadiness;
  private work: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ComponentAgentOptions) {
    this.readiness = new KnownReadiness((slot) => options.slots.isReady(slot));
  }

  start(): void {
    // Each at its own pace: one that waits for its end holds up no other.
    this.work = Promise.all(this.options.services.map((service) => this.follow(service)));
  }

  /** A change at hand is finished first. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  private async follow(service: string): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.pass(service).then(
        () => this.failures.delete(service),
        (error: unknown) => this.fail(service, String(error)),
      );
      await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Said once, however often it is tried. */
  private fail(service: string, message: string): void {
    if (this.failures.get(service) !== message) this.options.say(`Cannot change the version of ${service}: ${message}`);
    this.failures.set(service, message);
  }

  private async pass(service: string): Promise<void> {
    const { slots, directory, versions } = this.options;
    const wanted = await readWanted(join(directory, `${service}.wanted.json`));
    const present = await versions.present(service);
    const current = await this.look(service, wanted);
    await this.tell(service, wanted, present, current);
    if (!wanted || !areAmong(present, wanted)) return;
    const change = nextChange(current, wanted, slots.extraName(service));
    if (change) await this.make(service, change);
  }

  private async look(service: string, wanted: Wanted | undefined): Promise<readonly (RunningSlot & Slot)[]> {
    const slots = this.options.slots.list(service);
    // A process goes when others are ready in its place: not those that were a moment ago.
    const isFresh = wanted !== undefined && !isFulfilled(slots, wanted);
    const all = slots.map(async (slot) => ({ ...slot, isReady: await this.readiness.of(slot, isFresh) }));
    return Promise.all(all);
  }

  private async make(service: string, change: Change): Promise<void> {
    const { slots, say } = this.options;
    this.ends.delete(change.name);
    if (change.do === 'stop') {
      say(`Stopping ${change.name}`);
      return slots.stopSlot(change.name);
    }
    say(`Running ${change.name} in version ${change.version}`);
    return slots.startSlot(service, change.name, change.version);
  }

  private async tell(
    service: string,
    wanted: Wanted | undefined,
    present: readonly string[],
    current: readonly (RunningSlot & Slot)[],
  ): Promise<void> {
    const told = current.map(async ({ logFile, ...slot }) => ({
      ...slot,
      ...(slot.restarts > 0 ? { lastWords: await this.wordsOf({ ...slot, logFile }) } : {}),
    }));
    // What lies there no more is not what runs, however much it is wanted.
    const known = wanted && present.includes(wanted.version) ? wanted.version : undefined;
    const version = known ?? current[0]?.version ?? this.options.versions.own;
    const text = `${JSON.stringify({ version, slots: await Promise.all(told), present }, undefined, 2)}\n`;
    if (this.written.get(service) === text) return;
    await replaceFile(foundFile(this.options.directory, service), text, 0o600);
    this.written.set(service, text);
  }

  /** Read once for each end: a pass comes several times a second. */
  private async wordsOf({ name, restarts, logFile }: RunningSlot): Promise<string> {
    const known = this.ends.get(name);
    if (known?.restarts === restarts) return known.words;
    const words = await lastWords(logFile);
    this.ends.set(name, { restarts, words });
    return words;
  }
}

/** Where it is written what runs of a service. */
export function foundFile(directory: string, service: string): string {
  return join(directory, `${service}.found.json`);
}

function isFulfilled(slots: readonly RunningSlot[], { version, next }: Wanted): boolean {
  return next === undefined && slots.every((slot) => !slot.isExtra && slot.version === version);
}

function areAmong(present: readonly string[], { version, next }: Wanted): boolean {
  return present.includes(version) && (next === undefined || present.includes(next.version));
}
