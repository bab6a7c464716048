import { randomUUID } from 'node:crypto';
import type { PolicyReviewResponse } from '@crate/api';
import { conflict } from '@crate/errors';
import type { ProcessIdentity } from '@crate/process';
import type { PlannedChanges } from '@crate/terraform';
import { InMemoryStateLocks } from '../terraform-state/in-memory-state-locks.js';
import { RUN_HOLDER } from '../terraform-state/run-holder.js';
import {
  earlierIsOpen,
  KEPT_RUNS,
  TerraformRunRepository,
  type NewPlan,
  type NewTerraformRun,
  type StoredPlan,
  type TerraformRun,
  type TerraformRunEnd,
} from './terraform-run.repository.js';

/** The same contract without a database, for unit tests. */
export class InMemoryTerraformRunRepository extends TerraformRunRepository {
  private runs: TerraformRun[] = [];
  private readonly plans = new Map<string, PlannedChanges>();
  private readonly reviews = new Map<string, PolicyReviewResponse>();

  constructor(
    private readonly clock: () => Date = () => new Date(),
    readonly locks = new InMemoryStateLocks(clock),
  ) {
    super();
  }

  async open(run: NewTerraformRun): Promise<Date> {
    const others = await this.list(run.infrastructureUid);
    const open = await this.listOpen(run.infrastructureUid);
    if (open.concat(others).some(({ epoch }) => epoch > run.epoch))
      throw conflict('A newer pass has taken over the Infrastructure');
    if (open.some(({ epoch }) => epoch < run.epoch)) throw earlierIsOpen();
    if (run.kind !== 'check') this.locks.holdForRun({ ...run, holder: RUN_HOLDER, operation: run.kind });
    const surplus = others.filter(({ state }) => state !== 'running').slice(KEPT_RUNS - 1);
    const change = others.find(({ state, hasBegun }) => hasBegun || state === 'succeeded');
    this.runs = this.runs.filter((each) => each === change || !surplus.includes(each));
    const at = this.clock();
    this.runs.push({
      ...run,
      state: 'running',
      identity: undefined,
      runtimeId: undefined,
      hasBegun: false,
      planSummary: undefined,
      startedAt: at,
      heartbeatAt: at,
      endedAt: undefined,
    });
    return at;
  }

  async saveIdentity(id: string, identity: ProcessIdentity): Promise<void> {
    this.change(id, { identity });
    return Promise.resolve();
  }

  async saveRuntime(id: string, runtimeId: string): Promise<void> {
    this.change(id, { runtimeId });
    return Promise.resolve();
  }

  async savePlan(id: string, { summary, changes, review, hasBegun }: NewPlan): Promise<void> {
    this.change(id, { planSummary: summary, ...(hasBegun ? { hasBegun } : {}) });
    if (changes) this.plans.set(id, changes);
    if (review) this.reviews.set(id, review);
    return Promise.resolve();
  }

  async heartbeat(id: string): Promise<void> {
    this.change(id, { heartbeatAt: this.clock() });
    return Promise.resolve();
  }

  async close(id: string, state: TerraformRunEnd): Promise<void> {
    this.locks.releaseRun(id);
    this.runs = this.runs.filter((run) => run.id !== id || run.kind !== 'check');
    this.runs = this.runs.map((run) =>
      run.id === id && run.state === 'running' ? { ...run, state, endedAt: this.clock() } : run,
    );
    return Promise.resolve();
  }

  async recordEdit(infrastructureUid: string, epoch: bigint): Promise<void> {
    await Promise.resolve();
    const at = this.clock();
    this.runs.push({
      id: randomUUID(),
      infrastructureUid,
      kind: 'edit',
      state: 'interrupted',
      epoch,
      generation: undefined,
      identity: undefined,
      runtimeId: undefined,
      hasBegun: true,
      planSummary: undefined,
      startedAt: at,
      heartbeatAt: at,
      endedAt: at,
    });
  }

  async findPlan(infrastructureUid: string): Promise<StoredPlan | undefined> {
    for (const run of await this.list(infrastructureUid)) {
      const changes = this.plans.get(run.id);
      if (changes) return { run, changes, review: this.reviews.get(run.id) };
    }
    return undefined;
  }

  async list(infrastructureUid: string): Promise<readonly TerraformRun[]> {
    const own = this.runs.filter((run) => run.infrastructureUid === infrastructureUid && run.kind !== 'check');
    return Promise.resolve(own.toReversed().sort((a, b) => Number(b.epoch - a.epoch)));
  }

  async listOpen(infrastructureUid: string): Promise<readonly TerraformRun[]> {
    const isOpen = (run: TerraformRun): boolean =>
      run.infrastructureUid === infrastructureUid && run.state === 'running';
    return Promise.resolve(this.runs.filter(isOpen));
  }

  async listAllOpen(limit: number): Promise<readonly TerraformRun[]> {
    const open = this.runs.filter(({ state }) => state === 'running');
    return Promise.resolve(open.sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime()).slice(0, limit));
  }

  async now(): Promise<Date> {
    return Promise.resolve(this.clock());
  }

  async removeAll(infrastructureUid: string): Promise<void> {
    this.locks.forget(infrastructureUid);
    for (const { id } of await this.list(infrastructureUid)) this.plans.delete(id);
    this.runs = this.runs.filter((run) => run.infrastructureUid !== infrastructureUid);
  }

  private change(id: string, fields: Partial<TerraformRun>): void {
    const found = this.runs.find((run) => run.id === id && run.state === 'running');
    if (!found) throw conflict('The Terraform run is closed');
    this.runs = this.runs.map((run) => (run === found ? { ...run, ...fields } : run));
  }
}
