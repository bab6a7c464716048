import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import type { SmallDisk } from '../platform/small-disk.js';
import type { Disturbance } from './schedule.js';

/** Breaks a platform as it is told, and mends all of it again. */
export class Breaker {
  private readonly healing = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly offsets: Record<string, number> = {};
  private faults = 0;

  constructor(
    private readonly platform: ChaosPlatform,
    /** Absent: the disk is never full. */
    private readonly disk: SmallDisk | undefined,
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
    await this.disk?.free();
  }

  private async break(disturbance: Disturbance): Promise<void> {
    const { platform } = this;
    switch (disturbance.break) {
      case 'kill':
        await platform.signal(disturbance.process, 'SIGKILL');
        return;
      case 'kill-runs':
        await platform.killRuns(disturbance.program);
        return;
      case 'freeze':
        return this.freeze(disturbance.process, disturbance.forMs);
      case 'cut-answer':
        this.cutNextAnswer(disturbance.service.replaceAll('-', '_'));
        return;
      case 'cut-connections':
        platform.proxy.cutAll();
        return;
      case 'fault':
        return this.fault(disturbance.fault, disturbance.forMs);
      case 'slow-cloud':
        await platform.sandbox.setLatency(disturbance.scale);
        await this.pause(disturbance.forMs);
        return;
      case 'clock':
        return this.clock(disturbance.service, disturbance.offsetMs, disturbance.forMs);
      case 'disk-full':
        await this.disk?.fill();
        await this.pause(disturbance.forMs);
        await this.disk?.free();
        return;
      case 'target-down':
        await platform.sandbox.setTargetApis(true);
        await this.pause(disturbance.forMs);
        await platform.sandbox.setTargetApis(false);
    }
  }

  private async freeze(name: string, forMs: number): Promise<void> {
    await this.platform.signal(name, 'SIGSTOP');
    await this.pause(forMs);
    await this.platform.signal(name, 'SIGCONT');
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

  private async fault(fault: object, forMs: number): Promise<void> {
    const name = `chaos-${(this.faults += 1)}`;
    await this.platform.sandbox.putFault(name, fault);
    await this.pause(forMs);
    await this.platform.sandbox.removeFault(name);
  }

  private async clock(service: string, offsetMs: number, forMs: number): Promise<void> {
    this.offsets[service] = offsetMs;
    await this.platform.setClocks(this.offsets);
    await this.pause(forMs);
    delete this.offsets[service];
    await this.platform.setClocks(this.offsets);
  }

  private async pause(forMs: number): Promise<void> {
    await delay(forMs, undefined, { signal: this.healing.signal }).catch(() => undefined);
  }
}
