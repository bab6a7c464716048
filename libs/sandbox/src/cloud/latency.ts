import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { DurableMap } from '../journal/durable-map.js';

const KEY = 'latency';
const SMALL_MS = 300;
/** A deletion takes about half as long as a creation, and no less than what is small. */
const DELETE_SHARE = 0.5;

/** Milliseconds to create one object of a type; the rest take {@link SMALL_MS}. In the proportions of AWS, sped up. */
const CREATE_MS: Readonly<Record<string, number>> = {
  aws_iam_instance_profile: 900,
  aws_iam_role: 700,
  aws_instance: 4_000,
  aws_internet_gateway: 500,
  aws_lb: 7_000,
  aws_nat_gateway: 6_000,
  aws_vpc: 1_000,
};

const settings = z.strictObject({
  /** Factor on every latency; 0 for none. */
  scale: z.number().min(0).max(100),
  /** Milliseconds to create one object of a type, in place of the built-in ones. */
  createMs: z.record(z.string(), z.int().min(0).max(600_000)).default({}),
});

/** How long the simulated cloud takes. */
export const latencySettings = settings;
/** Times are in milliseconds; a deletion takes half as long as the creation, and at least 300 ms, before `scale`. */
export type LatencySettings = z.output<typeof settings>;

/** What is being waited for. */
export type LatencyAction = 'create' | 'update' | 'delete';

/** Latency by account; accounts without settings of their own have the default ones. */
export class Latency {
  constructor(
    private readonly store: DurableMap,
    private readonly initialScale: number,
  ) {}

  /** Settings of one account, or the default ones. */
  get(account?: string): LatencySettings {
    const own = account === undefined ? undefined : this.store.get(`${KEY}/${account}`);
    return (own ?? this.store.get(KEY) ?? { scale: this.initialScale, createMs: {} }) as LatencySettings;
  }

  async set(value: LatencySettings, account?: string): Promise<void> {
    this.store.put(account === undefined ? KEY : `${KEY}/${account}`, value);
    await this.store.flush();
  }

  /** Milliseconds that `action` on an object of `type` takes. */
  of(account: string, type: string, action: LatencyAction): number {
    const { scale, createMs } = this.get(account);
    const base = createMs[type] ?? CREATE_MS[type] ?? SMALL_MS;
    if (action === 'create') return base * scale;
    return (action === 'delete' ? Math.max(SMALL_MS, base * DELETE_SHARE) : SMALL_MS) * scale;
  }
}

/** Takes this time, if any. */
export async function wait(milliseconds: number): Promise<void> {
  // Whoever waits here does not keep a process from ending that has nothing else to do.
  if (milliseconds > 0) await sleep(milliseconds, undefined, { ref: false });
}
