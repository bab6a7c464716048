import { PlatformError } from '@crate/errors';
import type { RecoveryState } from '@crate/service-host';
import { z } from 'zod';

/** Reason of a refusal because the database was set back and nobody has confirmed yet. */
export const RECOVERING = 'Recovering';

const changes = z
  .array(z.object({ address: z.string(), change: z.object({ actions: z.array(z.string()) }) }))
  .default([]);
const plan = z.object({ resource_changes: changes, resource_drift: changes });

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
export class RecoveryGate {
  constructor(private readonly recovery: Pick<RecoveryState, 'find'>) {}

  /** True while nobody has confirmed. */
  async isClosed(): Promise<boolean> {
    return (await this.recovery.find()) !== undefined;
  }

  /** Throws Forbidden (`Recovering`), tried again now and then. Lets pass a plan that only adds or changes. */
  async check(document: Readonly<Record<string, unknown>>): Promise<void> {
    const doubts = doubtsOf(document);
    if (doubts.removed + doubts.missing === 0 || !(await this.isClosed())) return;
    throw new PlatformError('Forbidden', `${textOf(doubts)}, and the database was set back to an older point`, {
      retry: 'slow',
      details: {
        reason: RECOVERING,
        remedy:
          'Compare the plan with what you want; apply newer documents again, or have an operator run "crate recovery confirm"',
      },
    });
  }
}

/** Pure. */
export function doubtsOf(document: Readonly<Record<string, unknown>>): Doubts {
  const { resource_changes: wished, resource_drift: drifted } = plan.parse(document);
  const deletes = ({ change }: (typeof wished)[number]): boolean => change.actions.includes('delete');
  return { removed: wished.filter(deletes).length, missing: drifted.filter(deletes).length };
}

function textOf({ removed, missing }: Doubts): string {
  const parts = [
    ...(removed > 0 ? [`${removed} resources would be destroyed or replaced`] : []),
    ...(missing > 0 ? [`${missing} resources that the record knows are gone`] : []),
  ];
  return parts.join(', ');
}
