import { conflict, type PlatformError } from '@crate/errors';
import { fromPrisma, prismaOptions, type Database } from '@crate/database';
import type { ProcessIdentity } from '@crate/process';
import { nextEpoch } from '@crate/work-queue';
import { PrismaClient, type Prisma } from '../generated/client.js';
import type { EngineConfig } from './engine-config.js';
import {
  earlierIsOpen,
  editOf,
  EngineRunRepository,
  type EngineRun,
  type EngineRunKind,
  type EngineRunState,
  type NewEngineRun,
} from './engine-run.repository.js';
import { KEPT_RUNS } from './kept-runs.js';

const COLUMNS = {
  id: true,
  clusterUid: true,
  kind: true,
  state: true,
  configHash: true,
  generation: true,
  drains: true,
  epoch: true,
  workspace: true,
  process: true,
  startedAt: true,
  heartbeatAt: true,
  endedAt: true,
} satisfies Prisma.EngineRunSelect;

type Row = Prisma.EngineRunGetPayload<{ select: typeof COLUMNS }>;

const NEWEST_FIRST = [{ epoch: 'desc' }, { startedAt: 'desc' }] satisfies Prisma.EngineRunOrderByWithRelationInput[];

/** Engine runs in the table `engine_runs`. */
export class PrismaEngineRunRepository extends EngineRunRepository {
  private readonly prisma: PrismaClient;

  constructor(private readonly database: Database) {
    super();
    this.prisma = new PrismaClient(prismaOptions(database));
  }

  override async open({ config, ...run }: NewEngineRun): Promise<void> {
    const { clusterUid, epoch } = run;
    await fromPrisma(
      this.prisma.$transaction(async (transaction) => {
        // One opener per cluster at a time: the fence is read before it is written.
        await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${turnOf(clusterUid)}, 0))`;
        const newer = await transaction.engineRun.count({ where: { clusterUid, epoch: { gt: epoch } } });
        if (newer > 0) throw conflict('A newer pass has taken over the cluster');
        const older = { clusterUid, state: 'running', epoch: { lt: epoch } };
        if ((await transaction.engineRun.count({ where: older })) > 0) throw earlierIsOpen();
        const kept = config ? { config: config as Prisma.InputJsonObject } : {};
        const data = { ...run, ...kept, generation: run.generation ?? null, state: 'running' };
        await transaction.engineRun.create({ data });
        // Not the clock of this host: runs of several hosts are compared.
        await transaction.$executeRaw`
        UPDATE engine_runs SET started_at = clock_timestamp(), heartbeat_at = clock_timestamp()
        WHERE id = ${run.id}::uuid`;
        const surplus = await transaction.engineRun.findMany({
          where: { clusterUid, state: { not: 'running' } },
          orderBy: NEWEST_FIRST,
          skip: KEPT_RUNS - 1,
          select: { id: true },
        });
        await transaction.engineRun.deleteMany({ where: { id: { in: surplus.map(({ id }) => id) } } });
      }),
    );
  }

  override async edit<T>(
    clusterUid: string,
    requireDead: (open: EngineRun) => Promise<void>,
    work: (epoch: bigint) => Promise<T>,
  ): Promise<T> {
    return this.database.inTurn(turnOf(clusterUid), async (transaction) => {
      const runs = await this.list(clusterUid);
      for (const run of runs) if (run.state === 'running') await requireDead(run);
      const epoch = await nextEpoch(transaction);
      // Committed before the work: an engine that runs once too often does no harm.
      const edit = editOf(clusterUid, epoch);
      await fromPrisma(this.prisma.engineRun.create({ data: { ...edit, endedAt: new Date() } }));
      await fromPrisma(this.prisma.$executeRaw`
        UPDATE engine_runs SET started_at = clock_timestamp(), ended_at = clock_timestamp() WHERE id = ${edit.id}::uuid`);
      return work(epoch);
    });
  }

  override async saveIdentity(id: string, identity: ProcessIdentity): Promise<void> {
    const { count } = await fromPrisma(
      this.prisma.engineRun.updateMany({
        where: { id, state: 'running' },
        data: { process: { ...identity } },
      }),
    );
    if (count === 0) throw closed();
  }

  override async heartbeat(id: string): Promise<void> {
    const count = await fromPrisma(this.prisma.$executeRaw`
      UPDATE engine_runs SET heartbeat_at = clock_timestamp() WHERE id = ${id}::uuid AND state = 'running'`);
    if (count === 0) throw closed();
  }

  override async now(): Promise<Date> {
    const [row] = await fromPrisma(this.prisma.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`);
    return row?.now ?? new Date();
  }

  override async close(id: string, state: Exclude<EngineRunState, 'running'>): Promise<void> {
    await fromPrisma(this.prisma.$executeRaw`
      UPDATE engine_runs SET state = ${state}, ended_at = clock_timestamp()
      WHERE id = ${id}::uuid AND state = 'running'`);
  }

  override async list(clusterUid: string): Promise<readonly EngineRun[]> {
    const rows = await fromPrisma(
      this.prisma.engineRun.findMany({
        where: { clusterUid },
        orderBy: NEWEST_FIRST,
        select: COLUMNS,
      }),
    );
    return rows.map(toRun);
  }

  override async findConfig(id: string): Promise<EngineConfig | undefined> {
    const row = await fromPrisma(this.prisma.engineRun.findUnique({ where: { id }, select: { config: true } }));
    return (row?.config ?? undefined) as EngineConfig | undefined;
  }

  override async listOpen(limit: number): Promise<readonly EngineRun[]> {
    const where = { state: 'running' };
    const orderBy = { startedAt: 'asc' } as const;
    return (await fromPrisma(this.prisma.engineRun.findMany({ where, orderBy, take: limit, select: COLUMNS }))).map(
      toRun,
    );
  }

  override async openWorkspaces(): Promise<readonly string[]> {
    const rows = await fromPrisma(
      this.prisma.engineRun.findMany({ where: { state: 'running' }, select: { workspace: true } }),
    );
    return rows.map(({ workspace }) => workspace);
  }

  override async removeAll(clusterUid: string): Promise<void> {
    await fromPrisma(this.prisma.engineRun.deleteMany({ where: { clusterUid } }));
  }
}

/** Whoever opens a run, or changes what runs begin with, holds this lock of Postgres meanwhile. */
function turnOf(clusterUid: string): string {
  return `engine-run ${clusterUid}`;
}

function closed(): PlatformError {
  return conflict('The engine run is closed');
}

function toRun({ process, generation, endedAt, ...row }: Row): EngineRun {
  return {
    ...row,
    kind: row.kind as EngineRunKind,
    state: row.state as EngineRunState,
    generation: generation ?? undefined,
    identity: (process as unknown as ProcessIdentity | null) ?? undefined,
    endedAt: endedAt ?? undefined,
  };
}
