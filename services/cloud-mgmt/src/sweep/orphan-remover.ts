import type { CloudAccount } from '@crate/api';
import type { OwnedResource } from '@crate/infra-aws';
import { inLine, type ReconcileContext } from '@crate/reconcile';
import type { RunLogs } from '@crate/run-log';
import type { Logger } from '@crate/telemetry';
import type { TerraformRunner, TerraformSlots, TerraformWorkspace } from '@crate/terraform';
import type { CloudAccess, CloudProvider } from '../provider/cloud-provider.js';
import type { RunEnding } from '../terraform-run/run-ending.js';
import type { TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';
import { TerraformRuns, type OpenRun, type RunTask } from '../terraform-run/terraform-runs.js';
import { inRemovalOrder } from './removal-order.js';
import { orphanDocument, tagsInState } from './orphan-stack.js';

/** A resource that no state knows and that is to go. */
export type Removable = Pick<OwnedResource, 'type' | 'id' | 'importId'>;

/** What is to be removed: resources of one region, as a listing gave them. */
export interface RemovalTask {
  /** Under which the run, its log and its working files are kept. */
  readonly key: string;
  readonly account: CloudAccount;
  readonly provider: CloudProvider;
  readonly access: CloudAccess;
  readonly orphans: readonly Removable[];
  /** Whether a resource with these tags is the one meant: names such as those of roles may be somebody else's by now. */
  readonly isMeant: (orphan: Removable, tags: Readonly<Record<string, string>>) => boolean;
  /** Of the pass. */
  readonly context: ReconcileContext;
}

export interface OrphanRemoverParts extends RunEnding {
  readonly runner: TerraformRunner;
  readonly runs: TerraformRunRepository;
  readonly logs: RunLogs;
  readonly slots: TerraformSlots;
  readonly logger: Logger;
}

interface Run extends OpenRun {
  readonly task: RemovalTask;
  readonly workspace: TerraformWorkspace;
}

/**
 * Removes abandoned resources with Terraform: imported into a state that is thrown away, and destroyed, step by step. The listing is
 * the memory, so a pass that is killed anywhere is simply done again.
 */
export class OrphanRemover {
  private readonly runs: TerraformRuns;

  constructor(private readonly parts: OrphanRemoverParts) {
    this.runs = new TerraformRuns(parts);
  }

  /** Throws TerraformError, or Conflict when a newer pass took over. Whether something is gone is for the next listing to say. */
  async remove(task: RemovalTask): Promise<void> {
    const { context } = task;
    const release = await inLine(context, () => this.parts.slots.acquire({ signal: context.remoteSignal }));
    try {
      await this.removeInTurn(task);
    } finally {
      release();
    }
  }

  /** Forgets runs, logs and working files of this host. Idempotent; throws while a run may be alive. */
  async forget(key: string, provider: Pick<CloudProvider, 'closeRuntime'>): Promise<void> {
    await this.runs.forget(key, this.parts.runner, (id) => provider.closeRuntime(id));
  }

  private async removeInTurn(task: RemovalTask): Promise<void> {
    const { key, provider, access, account, orphans } = task;
    const { epoch, remoteSignal: signal } = task.context;
    const run: RunTask = {
      ...{ infrastructureUid: key, kind: 'sweep', generation: account.metadata.generation, epoch, signal },
      openRuntime: () => provider.openRuntime(access, signal),
      closeRuntime: (id) => provider.closeRuntime(id),
    };
    await this.runs.settle(run);
    await this.runs.within(run, async (open) => {
      const workspace = await this.parts.runner.open(key);
      try {
        for (const step of inRemovalOrder(orphans)) await this.destroy({ ...open, task, workspace }, step);
      } finally {
        await workspace.remove();
      }
    });
  }

  private async destroy(run: Run, orphans: RemovalTask['orphans']): Promise<void> {
    const { task, workspace, record, options } = run;
    // Whatever an earlier pass had in its state is either gone or listed again.
    await workspace.remove();
    const { region, accountId } = task.access;
    await workspace.prepare(orphanDocument({ region, accountId, orphans }), options);
    for (const [index, orphan] of orphans.entries()) {
      await workspace.importObject(`${orphan.type}.orphan-${index}`, orphan.importId, options);
      await this.check(run, orphan, index);
    }
    await workspace.prepare(orphanDocument({ region, accountId, orphans: [] }), options);
    const plan = await workspace.plan(options);
    await record.planned({ summary: plan.summary, hasBegun: plan.hasChanges });
    if (!plan.hasChanges) return;
    await workspace.apply({ ...options, storeState: () => Promise.resolve() });
  }

  /** The last look before it goes. */
  private async check({ task, workspace, record, options }: Run, orphan: Removable, index: number): Promise<void> {
    const address = `${orphan.type}.orphan-${index}`;
    const tags = tagsInState(await workspace.readState(), address);
    if (!tags || task.isMeant(orphan, tags)) return;
    record.log(`=== ${orphan.type} ${orphan.id} does not carry the tag of its owner any more: left alone`);
    await workspace.forget(address, options);
  }
}

/** Under which the runs, the log and the working files of an account's sweeps are kept. */
export function sweepKey({ metadata }: CloudAccount, region: string): string {
  return `sweep-${metadata.uid}-${region}`;
}
