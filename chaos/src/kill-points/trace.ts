import { join } from 'node:path';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import { readCloud, type CloudObject } from '../world/cloud-journal.js';
import { RKE, type Step } from './kill-point.js';

const RUNS = ['up', 'remove'] as const;
/** A hold that so many calls go by first holds none, and counts them. */
const MANY = 1_000_000;
const COUNTING = { kind: 'hold', moment: 'after', skip: MANY };

/** Calls that leave no trace in the cloud and are counted instead. */
interface Counted {
  readonly action: string;
  readonly type: string;
}

/** Writes down the steps of whatever happens between `begin` and `end`. */
export class Trace {
  private readonly steps: Step[] = [];
  private readonly counts = new Map<string, number>();
  private before: readonly CloudObject[] = [];
  private counted: readonly Counted[] = [];

  constructor(private readonly platform: ChaosPlatform) {}

  async begin(): Promise<void> {
    this.before = await this.cloud();
    const types = new Set(this.before.map(({ type }) => type));
    // What is there already can be updated.
    this.counted = [
      ...RUNS.map((action) => ({ action, type: RKE })),
      ...[...types].map((type) => ({ action: 'update', type })),
    ];
    for (const call of this.counted) await this.platform.sandbox.putFault(counterOf(call), { ...COUNTING, ...call });
    this.platform.proxy.hooks = {
      before: ({ user, label }) => this.note(`${user}:${label}`, (nth) => ({ at: 'commit', user, label, nth })),
    };
  }

  async end(): Promise<readonly Step[]> {
    this.platform.proxy.hooks = {};
    const after = await this.cloud();
    for (const { type } of added(this.before, after)) this.noteCall('create', type);
    for (const { type } of added(after, this.before)) this.noteCall('delete', type);
    await this.noteCounted();
    return this.steps;
  }

  private async noteCounted(): Promise<void> {
    const { sandbox } = this.platform;
    const faults = await sandbox.faults();
    for (const call of this.counted) {
      const { skip = MANY } = faults.find(({ name }) => name === counterOf(call)) ?? {};
      for (let seen = skip; seen < MANY; seen += 1) this.noteCall(call.action, call.type);
      await sandbox.removeFault(counterOf(call));
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

function counterOf({ action, type }: Counted): string {
  return `count-${action}-${type.replaceAll('_', '-')}`;
}

function added(before: readonly CloudObject[], after: readonly CloudObject[]): readonly CloudObject[] {
  const ids = new Set(before.map(({ type, id }) => `${type}/${id}`));
  return after.filter(({ type, id }) => !ids.has(`${type}/${id}`));
}
