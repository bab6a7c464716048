import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosPlatform, Disks } from '../platform/chaos-platform.js';
import { meddle } from './meddle.js';
import type { Disturbance } from './schedule.js';

const DISKS = ['terraform', 'postgres'] as const;

interface Lasting {
  readonly forMs: number;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

/** Breaks a platform as it is told, and mends all of it again. */
export class Breaker {
  /** Ids of what it changed or removed in the cloud. */
  readonly meddled: string[] = [];
  private readonly healing = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly offsets: Record<string, number> = {};
  private readonly counts = new Map<string, number>();
  private faults = 0;

  constructor(
    private readonly platform: ChaosPlatform,
    private readonly say: (line: string) => void,
  ) {}

  /** Begins; what takes a while ends by itself, or with `heal`. */
  begin(disturbance: Disturbance): void {
    const task = this.break(disturbance)
      // What is to be broken may be broken already.
      .catch((error: unknown) => this.say(`Could not ${disturbance.break}: ${String(error)}`))
      .finally(() => this.running.delete(task));
    this.running.add(task);
  }

  /** Ends everything that was begun. */
  async heal(): Promise<void> {
    this.healing.abort();
    this.platform.proxy.hooks = {};
    await Promise.all(this.running);
    for (const name of Object.keys(await this.platform.pids())) await this.platform.signal(name, 'SIGCONT');
    await this.platform.setClocks({});
    for (const name of DISKS) await this.free(name);
  }

  private async break(disturbance: Disturbance): Promise<void> {
    const lasting = this.lasting(disturbance);
    if (!lasting) return this.once(disturbance);
    const what = withoutTime(disturbance);
    this.lastingBy(what, 1);
    try {
      await lasting.begin();
      await delay(lasting.forMs, undefined, { signal: this.healing.signal }).catch(() => undefined);
    } finally {
      // What could not begin may be half done.
      if (this.lastingBy(what, -1) === 0) await lasting.end();
    }
  }

  /** What was begun twice ends with the last of them. */
  private lastingBy(what: string, change: 1 | -1): number {
    const count = (this.counts.get(what) ?? 0) + change;
    this.counts.set(what, count);
    return count;
  }

  private async once(disturbance: Disturbance): Promise<void> {
    const { platform } = this;
    switch (disturbance.break) {
      case 'kill':
        await platform.signal(disturbance.process, 'SIGKILL');
        return;
      case 'kill-runs':
        platform.killRuns(disturbance.program);
        return;
      case 'host-lost':
        return platform.loseSecondHost();
      case 'cut-answer':
        return this.cutNextAnswer(disturbance.service.replaceAll('-', '_'));
      case 'cut-connections':
        return platform.proxy.cutAll();
      case 'meddle':
        return meddle(platform.sandbox, disturbance, (id) => this.meddled.push(id));
      default:
    }
  }

  /** What ends by itself after a while, and how it begins and ends. */
  private lasting(disturbance: Disturbance): Lasting | undefined {
    const { sandbox } = this.platform;
    switch (disturbance.break) {
      case 'freeze':
        return this.freeze(disturbance.process, disturbance.forMs);
      case 'nats-down':
        return {
          forMs: disturbance.forMs,
          begin: () => this.platform.takeNatsAway(),
          end: () => this.platform.giveNatsBack(),
        };
      case 'host-down':
        return {
          forMs: disturbance.forMs,
          begin: () => this.platform.signalSecondHost('SIGSTOP'),
          end: () => this.platform.signalSecondHost('SIGCONT'),
        };
      case 'fault':
        return this.fault(disturbance.fault, disturbance.forMs);
      case 'clock':
        return this.clock(disturbance.service, disturbance.offsetMs, disturbance.forMs);
      case 'slow-cloud':
        return {
          forMs: disturbance.forMs,
          begin: () => sandbox.setLatency(disturbance.scale),
          end: () => sandbox.setLatency(0),
        };
      case 'disk-full':
        return {
          forMs: disturbance.forMs,
          begin: () => this.fill(disturbance.disk),
          end: () => this.free(disturbance.disk),
        };
      case 'target-down':
        return {
          forMs: disturbance.forMs,
          begin: () => sandbox.setTargetApis({ down: true }),
          end: () => sandbox.setTargetApis({}),
        };
      case 'target-expired':
        return {
          forMs: disturbance.forMs,
          begin: () => sandbox.setTargetApis({ expired: true }),
          end: () => sandbox.setTargetApis({}),
        };
      default:
        return undefined;
    }
  }

  private async fill(name: keyof Disks): Promise<void> {
    const disk = this.platform.disks[name];
    if (typeof disk !== 'string') await disk.fill();
  }

  private async free(name: keyof Disks): Promise<void> {
    const disk = this.platform.disks[name];
    if (typeof disk !== 'string') await disk.free();
  }

  private freeze(name: string, forMs: number): Lasting {
    return {
      forMs,
      begin: () => this.platform.signal(name, 'SIGSTOP'),
      end: () => this.platform.signal(name, 'SIGCONT'),
    };
  }

  private fault(fault: object, forMs: number): Lasting {
    const { sandbox } = this.platform;
    const name = `chaos-${(this.faults += 1)}`;
    return { forMs, begin: () => sandbox.putFault(name, fault), end: () => sandbox.removeFault(name) };
  }

  private clock(service: string, offsetMs: number, forMs: number): Lasting {
    const set = async (offset: number): Promise<void> => {
      this.offsets[service] = offset;
      await this.platform.setClocks(this.offsets);
    };
    return { forMs, begin: () => set(offsetMs), end: () => set(0) };
  }

  private cutNextAnswer(user: string): void {
    const { proxy } = this.platform;
    proxy.hooks = {
      executed: (commit) => {
        if (commit.user !== user) return undefined;
        proxy.hooks = {};
        return 'cut';
      },
    };
  }
}

/** Tells one from another by what is broken, and not by how or how long; each fault of the cloud is one of its own. */
function withoutTime(disturbance: Disturbance): string {
  if (disturbance.break === 'fault') return randomUUID();
  const { break: how, process, service, disk } = disturbance as Disturbance & Partial<Record<string, string>>;
  return [how, process, service, disk].join(' ');
}
