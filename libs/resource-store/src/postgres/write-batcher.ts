import { Batcher, type SqlRunner } from '@crate/database';
import { keyOf } from '../object/object-key.js';
import { causeOf } from '../object/write-cause.js';
import type { PlannedChange, WritePlan } from '../object/write-plan.js';
import type { Revision } from '../revision.js';
import type { WitnessedChange, WitnessEntry, WriteWitness } from '../witness.js';
import type { Writer } from './writer.js';

interface CommitRow {
  readonly is_committed: boolean;
  readonly first_revision: string;
}

/** Told of each transaction that writes: how long it took, and whether it was committed. */
export type CommitListener = (seconds: number, outcome: 'committed' | 'failed') => void;

const COMMIT = 'SELECT is_committed, first_revision FROM commit_resource_writes($1::jsonb, $2)';

/** JSON of the writes of one transaction. More would keep other replicas waiting for the lock. */
const LARGEST_BATCH_CHARACTERS = 1_000_000;

/**
 * Commits plans, many in one transaction when many come at once: a commit costs one sync of the disk, and only one transaction
 * at a time may number its changes, so that without batches the sync would bound the rate of writes.
 */
export class WriteBatcher {
  /** One batch at a time: a second one would only queue for the lock, and take along fewer writes than if it had waited here. */
  private readonly commits = new Batcher<string, Revision | undefined>({
    run: (texts) => this.run(texts),
    weight: { of: (text) => text.length, most: LARGEST_BATCH_CHARACTERS },
  });

  constructor(
    private readonly sql: SqlRunner,
    private readonly writer: Writer,
    private readonly witness?: WriteWitness,
    private readonly onCommit: CommitListener = () => undefined,
  ) {}

  /** The revision of the plan's first change; undefined when it was decided on what is no longer so. */
  async commit(plan: WritePlan): Promise<Revision | undefined> {
    return this.commits.ask(textOf(plan, this.witness?.(witnessed(plan)) ?? []));
  }

  private async run(texts: readonly string[]): Promise<readonly (Revision | undefined)[]> {
    const begun = performance.now();
    const tell = (outcome: 'committed' | 'failed'): void => this.onCommit((performance.now() - begun) / 1000, outcome);
    try {
      const values = [`[${texts.join(',')}]`, this.writer.name];
      const rows = await this.sql.rows<CommitRow & Record<string, unknown>>(COMMIT, values);
      tell('committed');
      return rows.map((row) => (row.is_committed ? Number(row.first_revision) : undefined));
    } catch (error) {
      tell('failed');
      throw error;
    }
  }
}

/** The changes with what they replace. */
function witnessed(plan: WritePlan): readonly WitnessedChange[] {
  return plan.changes.map(({ type, object }) => {
    const before = type === 'ADDED' ? undefined : plan.before(object.metadata.uid);
    return { type, after: object, ...(before ? { before } : {}) };
  });
}

function textOf(plan: WritePlan, audit: readonly WitnessEntry[]): string {
  return JSON.stringify({
    versions: Object.fromEntries(plan.versions),
    dependents: Object.fromEntries(plan.dependents),
    absent: plan.absent ?? null,
    changes: plan.changes.map((change) => changeOf(change, plan)),
    ...(audit.length === 0 ? {} : { audit }),
    ...(plan.guards.length === 0 ? {} : { guards: plan.guards }),
  });
}

function changeOf({ type, object }: PlannedChange, plan: WritePlan): unknown {
  return { type, ...keyOf(object), uid: object.metadata.uid, object, trace: causeOf(plan, object) };
}
