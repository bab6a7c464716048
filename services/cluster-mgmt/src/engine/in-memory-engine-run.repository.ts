import { conflict } from '@crate/errors';
import type { ProcessIdentity } from '@crate/process';
import type { EngineConfig } from './engine-config.js';
import {
  earlierIsOpen,
  editOf,
  EngineRunRepository,
  type EngineRun,
  type EngineRunState,
  type NewEngineRun,
} from './engine-run.repository.js';
import { KEPT_RUNS } from './kept-runs.js';

/** What nobody noted. */
const DEFAULTS = { generation: undefined, drains: false };

/** The same contract without a database, for unit tests. */
export class InMemoryEngineRunRepository extends EngineRunRepository {
  private runs: EngineRun[] = [];
  private readonly configs = new Map<string, EngineConfig>();

  constructor(private readonly clock: () => Date = () => new Date()) {
    super();
  }

  override async open({ config, ...run }: NewEngineRun): Promise<void> {
    const others = await this.list(run.clusterUid);
    if (others.some(({ epoch }) => epoch > run.epoch)) throw conflict('A newer pass has taken over the cluster');
    if (others.some(({ epoch, state }) => state === 'running' && epoch < run.epoch)) throw earlierIsOpen();
    const now = this.clock();
    if (config) this.configs.set(run.id, config);
    const added: EngineRun = {
      ...DEFAULTS,
      ...run,
      state: 'running',
      identity: undefined,
      startedAt: now,
      heartbeatAt: now,
      endedAt: undefined,
    };
    const ended = this.runs.filter((other) => other.clusterUid === run.clusterUid && other.state !== 'running');
    const surplus = new Set(ended.slice(KEPT_RUNS - 1).map((other) => other.id));
    this.runs = [added, ...this.runs.filter((other) => !surplus.has(other.id))];
  }

  override async edit<T>(
    clusterUid: string,
    requireDead: (open: EngineRun) => Promise<void>,
    work: (epoch: bigint) => Promise<T>,
  ): Promise<T> {
    const runs = await this.list(clusterUid);
    for (const run of runs) if (run.state === 'running') await requireDead(run);
    const epoch = runs.reduce((newest, { epoch: of }) => (of > newest ? of : newest), 0n) + 1n;
    const now = this.clock();
    const times = { startedAt: now, heartbeatAt: now, endedAt: now };
    this.runs = [{ ...DEFAULTS, ...editOf(clusterUid, epoch), identity: undefined, ...times }, ...this.runs];
    return work(epoch);
  }

  override async saveIdentity(id: string, identity: ProcessIdentity): Promise<void> {
    await this.changeOpen(id, { identity });
  }

  override async heartbeat(id: string): Promise<void> {
    await this.changeOpen(id, { heartbeatAt: this.clock() });
  }

  override async now(): Promise<Date> {
    return Promise.resolve(this.clock());
  }

  override async close(id: string, state: Exclude<EngineRunState, 'running'>): Promise<void> {
    await Promise.resolve();
    if (this.runs.some((run) => run.id === id && run.state === 'running'))
      this.change(id, { state, endedAt: this.clock() });
  }

  override async list(clusterUid: string): Promise<readonly EngineRun[]> {
    return Promise.resolve(this.runs.filter((run) => run.clusterUid === clusterUid));
  }

  override async findConfig(id: string): Promise<EngineConfig | undefined> {
    return Promise.resolve(this.runs.some((run) => run.id === id) ? this.configs.get(id) : undefined);
  }

  override async listOpen(limit: number): Promise<readonly EngineRun[]> {
    const open = this.runs.filter(({ state }) => state === 'running');
    return Promise.resolve(open.toReversed().slice(0, limit));
  }

  override async openWorkspaces(): Promise<readonly string[]> {
    return Promise.resolve(this.runs.filter((run) => run.state === 'running').map((run) => run.workspace));
  }

  override async removeAll(clusterUid: string): Promise<void> {
    this.runs = this.runs.filter((run) => run.clusterUid !== clusterUid);
    return Promise.resolve();
  }

  private async changeOpen(id: string, part: Partial<EngineRun>): Promise<void> {
    await Promise.resolve();
    if (!this.runs.some((run) => run.id === id && run.state === 'running')) throw conflict('The engine run is closed');
    this.change(id, part);
  }

  private change(id: string, part: Partial<EngineRun>): void {
    this.runs = this.runs.map((run) => (run.id === id ? { ...run, ...part } : run));
  }
}
