import { heldByRecovery, RecoveryHold, type DatedObject } from '@crate/service-host';
import { z } from 'zod';
import { KEY_PAIR } from '../plan/plan-impact.js';

const change = z.object({ address: z.string(), change: z.object({ actions: z.array(z.string()) }) });
const changes = z.array(change).default([]);
const plan = z.object({ resource_changes: changes, resource_drift: changes });

type Change = z.output<typeof change>;

/** What a plan would do that only a person may decide while the memory is older than the world. */
interface Doubts {
  /** Would be destroyed or replaced: made or kept, perhaps, by a wish that the memory has lost. */
  readonly removed: number;
  /** Known, and gone: removed, perhaps, by such a wish. They would be made again. */
  readonly missing: number;
}

/**
 * Holds changes back while the database is older than the world. What the record does not know may be wanted, and what it still
 * knows may have been given up: nothing is destroyed, replaced or made again until a person has confirmed.
 */
export class RecoveryGate extends RecoveryHold {
  /** Throws as `check` does. Lets pass a plan that only adds or changes, and any for what was made since. */
  async checkPlan(document: Readonly<Record<string, unknown>>, owner: DatedObject): Promise<void> {
    const doubts = doubtsOf(document);
    if (doubts.removed + doubts.missing === 0 || !(await this.isClosed()) || (await this.isNewer(owner))) return;
    throw heldByRecovery(
      textOf(doubts),
      'Compare the plan with what you want; apply newer documents again, or have an operator run "crate recovery confirm"',
    );
  }
}

/** Pure. */
export function doubtsOf(document: Readonly<Record<string, unknown>>): Doubts {
  const { resource_changes: wished, resource_drift: drifted } = plan.parse(document);
  const deletes = ({ change }: Change): boolean => change.actions.includes('delete');
  const removed = wished.filter((one) => deletes(one) && !isKeyMadeAnew(one));
  return { removed: removed.length, missing: drifted.filter(deletes).length };
}

/** Nothing that runs looks at it, and of an adopted one every plan says so. */
function isKeyMadeAnew({ address, change }: Change): boolean {
  return address.startsWith(`${KEY_PAIR}.`) && change.actions.includes('create');
}

function textOf({ removed, missing }: Doubts): string {
  const parts = [
    ...(removed > 0 ? [`${counted(removed)} would be destroyed or replaced`] : []),
    ...(missing > 0 ? [`${counted(missing)} that the record knows ${missing === 1 ? 'is' : 'are'} gone`] : []),
  ];
  return parts.join(', ');
}

function counted(count: number): string {
  return `${count} resource${count === 1 ? '' : 's'}`;
}
