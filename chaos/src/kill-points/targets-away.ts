import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@crate/testing';
import type { SandboxControl } from '../platform/sandbox-control.js';

/** Longer than a deletion waits for a cluster: what is then in the way is removed in the cloud, or waits for people. */
const AWAY_MS = 20_000;
const BACK_WITHIN_MS = 60_000;

/** Takes the APIs of target clusters away, and gives them back after a while. */
export class TargetsAway {
  private ending: Promise<void> = Promise.resolve();

  constructor(
    private readonly sandbox: Pick<SandboxControl, 'setTargetApis'>,
    private readonly forMs = AWAY_MS,
  ) {}

  /** Returns once they are away; they come back by themselves. */
  async begin(): Promise<void> {
    await this.sandbox.setTargetApis({ down: true });
    this.ending = this.giveBack();
    // Whoever waits for the end is told.
    this.ending.catch(() => undefined);
  }

  /** Until they are there again, if they were taken away. Rejects when the sandbox does not answer. */
  async end(): Promise<void> {
    await this.ending;
  }

  /** A sandbox that was killed meanwhile has them back already, and answers a moment later. */
  private async giveBack(): Promise<void> {
    await delay(this.forMs);
    await eventually(() => this.sandbox.setTargetApis({}), { timeoutMs: BACK_WITHIN_MS });
  }
}
