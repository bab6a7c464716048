import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@crate/testing';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import type { Commit } from '../proxy/postgres-proxy.js';
import type { KillPoint, Step } from './kill-point.js';

/** What is held waits. */
const LOOK_EVERY_MS = 50;
const HOLD = 'kill-point';
const COMES_BACK_MS = 60_000;

/** Waits for a point to come, and kills what is to die there. */
export class Executioner {
  private isDone = false;
  private killed = 0;
  private isDisarmed = false;
  private seen = 0;

  constructor(
    private readonly platform: ChaosPlatform,
    private readonly point: KillPoint,
  ) {}

  /** Whether the point has come, and what was to die there was there. */
  get hasKilled(): boolean {
    return this.killed > 0;
  }

  /** To be called before the operation begins; it then watches by itself until `disarm`. */
  async arm(): Promise<void> {
    const { step } = this.point;
    if (step.at === 'commit') this.armAtCommit(step);
    else await this.armAtCall(step);
  }

  async disarm(): Promise<void> {
    this.platform.proxy.hooks = {};
    this.isDisarmed = true;
    await this.platform.sandbox.removeFault(HOLD).catch(() => undefined);
  }

  private armAtCommit(step: Extract<Step, { at: 'commit' }>): void {
    const isNow = ({ user, label }: Commit): boolean =>
      user === step.user && label === step.label && (this.seen += 1) === step.nth;
    const act = async (commit: Commit): Promise<void> => {
      if (!this.isDone && isNow(commit)) await this.kill();
    };
    const { phase } = this.point;
    this.platform.proxy.hooks = {
      ...(phase === 'before' ? { before: act } : {}),
      ...(phase === 'during' ? { executed: act } : {}),
      ...(phase === 'after' ? { answered: (commit) => void act(commit) } : {}),
    };
  }

  private async armAtCall({ action, type, nth }: Extract<Step, { at: 'cloud' }>): Promise<void> {
    const moment = this.point.phase === 'before' ? 'before' : 'after';
    await this.platform.sandbox.putFault(HOLD, { kind: 'hold', type, action, moment, skip: nth - 1 });
    void this.watchCalls();
  }

  private async watchCalls(): Promise<void> {
    const { sandbox } = this.platform;
    while (!this.isDone && !this.isDisarmed) {
      const held = await sandbox.heldCalls().catch(() => []);
      if (held.some(({ fault }) => fault === HOLD)) {
        if (this.point.phase === 'after') await sandbox.removeFault(HOLD);
        await this.kill();
        await this.letGo();
      }
      await delay(LOOK_EVERY_MS);
    }
  }

  /** A sandbox that was killed comes back with its faults. */
  private async letGo(): Promise<void> {
    await eventually(() => this.platform.sandbox.removeFault(HOLD), { timeoutMs: COMES_BACK_MS });
  }

  private async kill(): Promise<void> {
    this.isDone = true;
    const { victim } = this.point;
    this.killed =
      victim === 'terraform' || victim === 'rke'
        ? this.platform.killRuns(victim)
        : Number(await this.platform.signal(victim, 'SIGKILL'));
  }
}
