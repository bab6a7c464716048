import { hasCode } from '@crate/errors';
import type { SqlRunner } from '@crate/database';
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

interface Waiting {
  /** JSON, made once, so that its size is known. */
  readonly text: string;
  readonly resolve: (first: Revision | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Told of each transaction that writes: how long it took, and whether it was committed. */
export type CommitListener = (seconds: number, outcome: 'committed' | 'failed') => void;

const COMMIT = 'SELECT is_committed, first_revision FROM commit_resource_writes($1::jsonb, $2)';

/** Writes of one transaction. More would keep other replicas waiting for the lock. */
const LARGEST_BATCH = 64;
const LARGEST_BATCH_CHARACTERS = 1_000_000;

/**
 * Commits plans, many in one transaction when many come at once: a commit costs one sync of the disk, and only one transaction
 * at a time may number its changes, so that without batches the sync would bound the rate of writes.
 */
export class WriteBatcher {
  private readonly queue: Waiting[] = [];
  private isBusy = false;

  constructor(
    private readonly sql: SqlRunner,
    private readonly writer: Writer,
    private readonly witness?: WriteWitness,
    private readonly onCommit: CommitListener = () => undefined,
  ) {}

  /** The revision of the plan's first change; undefined when it was decided on what is no longer so. */
  async commit(plan: WritePlan): Promise<Revision | undefined> {
    return new Promise((resolve, reject) => {
      this.queue.push({ text: textOf(plan, this.witness?.(witnessed(plan)) ?? []), resolve, reject });
      // Once everything that this turn of the event loop writes is here: passes that read together write together.
      if (this.queue.length === 1) process.nextTick(() => this.pump());
    });
  }

  /** One batch at a time: a second one would only queue for the lock, and take along fewer writes than if it had waited here. */
  private pump(): void {
    if (this.isBusy || this.queue.length === 0) return;
    this.isBusy = true;
    void this.run(this.takeBatch()).finally(() => {
      this.isBusy = false;
      this.pump();
    });
  }

  private takeBatch(): readonly Waiting[] {
    let characters = 0;
    const end = this.queue.findIndex(({ text }, index) => {
      characters += text.length;
      return index === LARGEST_BATCH || (index > 0 && characters > LARGEST_BATCH_CHARACTERS);
    });
    return this.queue.splice(0, end < 0 ? this.queue.length : end);
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    const begun = performance.now();
    const tell = (outcome: 'committed' | 'failed'): void => this.onCommit((performance.now() - begun) / 1000, outcome);
    try {
      const rows = await this.sql.rows<CommitRow & Record<string, unknown>>(COMMIT, [
        `[${batch.map((waiting) => waiting.text).join(',')}]`,
        this.writer.name,
      ]);
      tell('committed');
      batch.forEach((waiting, index) => {
        const row = rows[index];
        waiting.resolve(row?.is_committed ? Number(row.first_revision) : undefined);
      });
    } catch (error) {
      tell('failed');
      await this.fail(batch, error);
    }
  }

  /** One bad write must not fail its neighbours: nothing of the batch was committed, so each is tried alone. */
  private async fail(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [first, ...others] = batch;
    // Without an answer nobody knows whether the batch was committed: trying again could do a write twice.
    const isHopeless = hasCode(error, 'Unavailable', 'Timeout');
    if (isHopeless || others.length === 0) return batch.forEach((waiting) => waiting.reject(error));
    if (first) await this.run([first]);
    for (const waiting of others) await this.run([waiting]);
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
