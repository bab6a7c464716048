import { conflict } from '@crate/errors';
import { prismaAdapter, type Database } from '@crate/database';
import type { ProcessIdentity } from '@crate/process';
import type { ChangeSummary } from '@crate/terraform';
import { PrismaClient, type Prisma } from '../generated/client.js';
import {
  KEPT_RUNS,
  TerraformRunRepository,
  type NewTerraformRun,
  type TerraformRun,
  type TerraformRunEnd,
  type TerraformRunKind,
  type TerraformRunState,
} from './terraform-run.repository.js';

/** All but the log, which nobody needs to decide anything. */
const WITHOUT_LOG = {
  id: true,
  infrastructureUid: true,
  kind: true,
  state: true,
  epoch: true,
  process: true,
  runtimeId: true,
  planSummary: true,
  startedAt: true,
  heartbeatAt: true,
  endedAt: true,
} satisfies Prisma.TerraformRunSelect;

type Row = Prisma.TerraformRunGetPayload<{ select: typeof WITHOUT_LOG }>;

const NEWEST_FIRST = [{ epoch: 'desc' }, { startedAt: 'desc' }] satisfies Prisma.TerraformRunOrderByWithRelationInput[];

/** Terraform runs in the table `terraform_runs`. */
export class PrismaTerraformRunRepository extends TerraformRunRepository {
  private readonly prisma: PrismaClient;

  constructor(database: Database) {
    super();
    this.prisma = new PrismaClient({ adapter: prismaAdapter(database) });
  }

  async open(run: NewTerraformRun): Promise<void> {
    const { infrastructureUid, epoch } = run;
    await this.prisma.$transaction(async (transaction) => {
      // One opener at a time: the fence is read before it is written.
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`terraform-run ${infrastructureUid}`}, 0))`;
      const newer = await transaction.terraformRun.count({ where: { infrastructureUid, epoch: { gt: epoch } } });
      if (newer > 0) throw conflict('A newer pass has taken over the Infrastructure');
      await transaction.terraformRun.create({ data: { ...run, state: 'running' } });
      const surplus = await transaction.terraformRun.findMany({
        where: { infrastructureUid, state: { not: 'running' } },
        orderBy: NEWEST_FIRST,
        skip: KEPT_RUNS - 1,
        select: { id: true },
      });
      await transaction.terraformRun.deleteMany({ where: { id: { in: surplus.map(({ id }) => id) } } });
    });
  }

  async saveIdentity(id: string, identity: ProcessIdentity): Promise<void> {
    await this.change(id, { process: { ...identity } });
  }

  async saveRuntime(id: string, runtimeId: string): Promise<void> {
    await this.change(id, { runtimeId });
  }

  async savePlan(id: string, summary: ChangeSummary): Promise<void> {
    const { add, change, remove, import: imported } = summary;
    await this.change(id, { planSummary: { add, change, remove, import: imported } });
  }

  async heartbeat(id: string, log: string): Promise<void> {
    await this.change(id, { log: storable(log), heartbeatAt: new Date() });
  }

  async close(id: string, state: TerraformRunEnd, log?: string): Promise<void> {
    const data = { state, endedAt: new Date(), ...(log === undefined ? {} : { log: storable(log) }) };
    await this.prisma.terraformRun.updateMany({ where: { id, state: 'running' }, data });
  }

  async findLog(id: string): Promise<string | undefined> {
    return (await this.prisma.terraformRun.findUnique({ where: { id }, select: { log: true } }))?.log;
  }

  async list(infrastructureUid: string): Promise<readonly TerraformRun[]> {
    const rows = await this.prisma.terraformRun.findMany({
      where: { infrastructureUid },
      orderBy: NEWEST_FIRST,
      select: WITHOUT_LOG,
    });
    return rows.map(toRun);
  }

  async removeAll(infrastructureUid: string): Promise<void> {
    await this.prisma.terraformRun.deleteMany({ where: { infrastructureUid } });
  }

  private async change(id: string, data: Prisma.TerraformRunUpdateInput): Promise<void> {
    const { count } = await this.prisma.terraformRun.updateMany({ where: { id, state: 'running' }, data });
    if (count === 0) throw conflict('The Terraform run is closed');
  }
}

/** Postgres has no NUL in text. */
function storable(log: string): string {
  return log.replaceAll('\0', '');
}

function toRun({ process, runtimeId, planSummary, endedAt, ...row }: Row): TerraformRun {
  return {
    ...row,
    kind: row.kind as TerraformRunKind,
    state: row.state as TerraformRunState,
    identity: (process as unknown as ProcessIdentity | null) ?? undefined,
    runtimeId: runtimeId ?? undefined,
    planSummary: (planSummary as unknown as ChangeSummary | null) ?? undefined,
    endedAt: endedAt ?? undefined,
  };
}
