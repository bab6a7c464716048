import { join } from 'node:path';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import { readCloud, type CloudObject } from '../world/cloud-journal.js';
import { RKE, type Step } from './kill-point.js';

const RUNS = ['up', 'remove'] as const;
/** A hold that so many calls go by first holds none, and counts them. */
const MANY = 1_000_000;
const COUNTING = { kind: 'hold', type: RKE, moment: 'after', skip: MANY };

/** Writes down the steps of whatever happens between `begin` and `end`. */
export class Trace {
  private readonly steps: Step[] = [];
  private readonly counts = new Map<string, number>();
  private before: readonly CloudObject[] = [];

  constructor(private readonly platform: ChaosPlatform) {}

  async begin(): Promise<void> {
    this.before = await this.cloud();
    for (const run of RUNS) await this.platform.sandbox.putFault(counterOf(run), { ...COUNTING, action: run });
    this.platform.proxy.hooks = {
      before: ({ user, label }) => this.note(`${user}:${label}`, (nth) => ({ at: 'commit', user, label, nth })),
    };
  }

  async end(): Promise<readonly Step[]> {
    this.platform.proxy.hooks = {};
    const after = await this.cloud();
    for (const { type } of added(this.before, after)) this.noteCall('create', type);
    for (const { type } of added(after, this.before)) this.noteCall('delete', type);
    await this.noteStages();
    return this.steps;
  }

  private async noteStages(): Promise<void> {
    const { sandbox } = this.platform;
    const faults = await sandbox.faults();
    for (const run of RUNS) {
      const { skip = MANY } = faults.find(({ name }) => name === counterOf(run)) ?? {};
      for (let stage = skip; stage < MANY; stage += 1) this.noteCall(run, RKE);
      await sandbox.removeFault(counterOf(run));
    }
  }

  private noteCall(action: string, type: string): void {
    this.note(`${action}:${type}`, (nth) => ({ at: 'cloud', action, type, nth }));
  }

  private note(key: string, step: (nth: number) => Step): void {
    const nth = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, nth);
    this.steps.push(step(nth));
  }

  private cloud(): Promise<readonly CloudObject[]> {
    return readCloud(join(this.platform.directory, 'sandbox'));
  }
}

function counterOf(run: string): string {
  return `count-${run}`;
}

function added(before: readonly CloudObject[], after: readonly CloudObject[]): readonly CloudObject[] {
  const ids = new Set(before.map(({ type, id }) => `${type}/${id}`));
  return after.filter(({ type, id }) => !ids.has(`${type}/${id}`));
}
