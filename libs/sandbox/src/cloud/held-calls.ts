import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from './aws/resource-type.js';
import type { Faults } from './faults.js';

const LOOK_EVERY_MS = 10;

/** What a call does: those of the cloud, and those of `rke`, whose calls are the stages of a run on its hosts. */
export type HeldAction = 'create' | 'read' | 'update' | 'delete' | 'up' | 'remove';

/** A call that stands still. */
export interface HeldCall {
  /** The fault that holds it. */
  readonly fault: string;
  readonly account: string;
  readonly type: string;
  readonly action: HeldAction;
  readonly moment: 'before' | 'after';
}

/** Calls that faults of the kind `hold` keep from going on. */
export class HeldCalls {
  private readonly held = new Set<HeldCall>();

  constructor(private readonly faults: Faults) {}

  list(): HeldCall[] {
    return [...this.held];
  }

  /** Resolves at once, or when the fault that holds the call is gone. */
  async pass(
    { account }: Pick<Scope, 'account'>,
    type: string,
    call: Pick<HeldCall, 'action' | 'moment'>,
  ): Promise<void> {
    const fault = this.faults.hold({ account, region: '' }, type, call)?.name;
    if (fault === undefined) return;
    const entry = { fault, account, type, ...call };
    this.held.add(entry);
    while (this.faults.isInForce(fault)) await sleep(LOOK_EVERY_MS, undefined, { ref: false });
    this.held.delete(entry);
  }
}
