import { randomUUID } from 'node:crypto';
import type { PolicyReviewResponse } from '@crate/api';
import { conflict } from '@crate/errors';
import { fromPrisma, prismaOptions, type Database } from '@crate/database';
import type { ProcessIdentity } from '@crate/process';
import type { ChangeSummary, PlannedChanges } from '@crate/terraform';
import { Prisma, PrismaClient } from '../generated/client.js';
import { lockForRun } from '../terraform-state/run-lock.js';
import { RUN_HOLDER } from '../terraform-state/run-holder.js';
import { turnOf } from '../terraform-state/state-lock-row.js';
import {
  earlierIsOpen,
  KEPT_RUNS,
  TerraformRunRepository,
  type NewPlan,
  type NewTerraformRun,
  type StoredPlan,
  type TerraformRun,
  type TerraformRunEnd,
  type TerraformRunKind,
  type TerraformRunState,
} from './terraform-run.repository.js';

/** All but the plan, which nobody needs to decide anything. */
const WITHOUT_PLAN = {
  id: true,
  infrastructureUid: true,
  kind: true,
  state: true,
  epoch: true,
  process: true,
  runtimeId: true,
  generation: true,
  begun: true,
  planSummary: true,
  startedAt: true,
  heartbeatAt: true,
  endedAt: true,
} satisfies Prisma.TerraformRunSelect;

type Row = Prisma.TerraformRunGetPayload<{ select: typeof WITHOUT_PLAN }>;

const NEWEST_FIRST = [{ epoch: 'desc' }, { startedAt: 'desc' }] satisfies Prisma.TerraformRunOrderByWithRelationInput[];

/** Runs that were made to change something. */
const CHANGING = { kind: { not: 'check' } } satisfies Prisma.TerraformRunWhereInput;

/** Terraform runs in the table `terraform_runs`. */
export class PrismaTerraformRunRepository extends TerraformRunRepository {
  private readonly prisma: PrismaClient;

  constructor(
    database: Database,
    /** Service and host, as others see who holds the lock. */
    private readonly holder = RUN_HOLDER,
  ) {
    super();
    this.prisma = new PrismaClient(prismaOptions(database));
  }

  async open(run: NewTerraformRun): Promise<Date> {
    const { id, infrastructureUid, kind, epoch, generation = null } = run;
    return fromPrisma(
      this.prisma.$transaction(async (transaction) => {
        // One opener at a time: the fence is read before it is written.
        await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${turnOf(infrastructureUid)}, 0))`;
        const others = await transaction.terraformRun.findMany({
          where: { infrastructureUid, OR: [{ epoch: { gt: epoch } }, { state: 'running', epoch: { lt: epoch } }] },
          select: { epoch: true },
        });
        if (others.some((other) => other.epoch > epoch))
          throw conflict('A newer pass has taken over the Infrastructure');
        // A pass that was overtaken may have opened one after it was looked for: the next pass proves it dead.
        if (others.length > 0) throw earlierIsOpen();
        const since = kind === 'check' ? undefined : await lockForRun(transaction, { ...run, holder: this.holder });
        // Not the clock of this host: others compare with theirs.
        const [{ startedAt } = { startedAt: new Date(0) }] = await transaction.$queryRaw<
          Pick<TerraformRun, 'startedAt'>[]
        >`
        INSERT INTO terraform_runs
          (id, infrastructure_uid, kind, epoch, generation, state, begun, started_at, heartbeat_at)
        VALUES (${id}::uuid, ${infrastructureUid}, ${kind}, ${epoch}, ${generation}, 'running', false,
          clock_timestamp(), clock_timestamp())
        RETURNING started_at AS "startedAt"`;
        await transaction.$executeRaw`
        DELETE FROM terraform_runs WHERE id IN (
          SELECT id FROM terraform_runs
          WHERE infrastructure_uid = ${infrastructureUid} AND state <> 'running' AND kind <> 'check'
          ORDER BY epoch DESC, started_at DESC OFFSET ${KEPT_RUNS - 1})
        AND id IS DISTINCT FROM (
          SELECT id FROM terraform_runs
          WHERE infrastructure_uid = ${infrastructureUid} AND kind <> 'check' AND (begun OR state = 'succeeded')
          ORDER BY epoch DESC, started_at DESC LIMIT 1)`;
        return since ?? startedAt;
      }),
    );
  }

  async saveIdentity(id: string, identity: ProcessIdentity): Promise<void> {
    await this.change(id, { process: { ...identity } });
  }

  async saveRuntime(id: string, runtimeId: string): Promise<void> {
    await this.change(id, { runtimeId });
  }

  async savePlan(id: string, { summary, changes, review, hasBegun }: NewPlan): Promise<void> {
    const { add, change, remove, import: imported } = summary;
    await this.change(id, {
      planSummary: { add, change, remove, import: imported },
      ...(changes ? { plan: json(changes) } : {}),
      ...(review ? { review: json(review) } : {}),
      ...(hasBegun ? { begun: true } : {}),
    });
  }

  async heartbeat(id: string): Promise<void> {
    const count = await fromPrisma(this.prisma.$executeRaw`
      UPDATE terraform_runs SET heartbeat_at = clock_timestamp() WHERE id = ${id}::uuid AND state = 'running'`);
    if (count === 0) throw closed();
  }

  async close(id: string, state: TerraformRunEnd): Promise<void> {
    await fromPrisma(
      this.prisma.$transaction([
        this.prisma.terraformRun.deleteMany({ where: { id, kind: 'check' } }),
        this.prisma.$executeRaw`
        UPDATE terraform_runs SET state = ${state}, ended_at = clock_timestamp()
        WHERE id = ${id}::uuid AND state = 'running'`,
        this.prisma.$executeRaw`DELETE FROM terraform_state_locks WHERE id = ${id} AND NOT by_hand`,
      ]),
    );
  }

  async findPlan(infrastructureUid: string): Promise<StoredPlan | undefined> {
    const row = await fromPrisma(
      this.prisma.terraformRun.findFirst({
        where: { infrastructureUid, plan: { not: Prisma.DbNull } },
        orderBy: NEWEST_FIRST,
        select: { ...WITHOUT_PLAN, plan: true, review: true },
      }),
    );
    if (!row) return undefined;
    const { plan, review, ...run } = row;
    return {
      run: toRun(run),
      changes: plan as unknown as PlannedChanges,
      review: (review as unknown as PolicyReviewResponse | null) ?? undefined,
    };
  }

  async recordEdit(infrastructureUid: string, epoch: bigint): Promise<void> {
    const now = await this.now();
    const times = { startedAt: now, heartbeatAt: now, endedAt: now };
    const data = { id: randomUUID(), infrastructureUid, kind: 'edit', state: 'interrupted', epoch, ...times };
    await fromPrisma(this.prisma.terraformRun.create({ data }));
  }

  async list(infrastructureUid: string): Promise<readonly TerraformRun[]> {
    const rows = await fromPrisma(
      this.prisma.terraformRun.findMany({
        where: { infrastructureUid, ...CHANGING },
        orderBy: NEWEST_FIRST,
        select: WITHOUT_PLAN,
      }),
    );
    return rows.map(toRun);
  }

  async listOpen(infrastructureUid: string): Promise<readonly TerraformRun[]> {
    const where = { infrastructureUid, state: 'running' };
    return (await fromPrisma(this.prisma.terraformRun.findMany({ where, select: WITHOUT_PLAN }))).map(toRun);
  }

  async listAllOpen(limit: number): Promise<readonly TerraformRun[]> {
    const where = { state: 'running' };
    const orderBy = { startedAt: 'asc' } as const;
    return (
      await fromPrisma(this.prisma.terraformRun.findMany({ where, orderBy, take: limit, select: WITHOUT_PLAN }))
    ).map(toRun);
  }

  async now(): Promise<Date> {
    const [row] = await fromPrisma(this.prisma.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`);
    return row?.now ?? new Date();
  }

  async removeAll(infrastructureUid: string): Promise<void> {
    await fromPrisma(
      this.prisma.$transaction([
        this.prisma.terraformRun.deleteMany({ where: { infrastructureUid } }),
        this.prisma.$executeRaw`DELETE FROM terraform_state_locks WHERE infrastructure_uid = ${infrastructureUid}`,
      ]),
    );
  }

  private async change(id: string, data: Prisma.TerraformRunUpdateInput): Promise<void> {
    const { count } = await fromPrisma(this.prisma.terraformRun.updateMany({ where: { id, state: 'running' }, data }));
    if (count === 0) throw closed();
  }
}

function closed(): Error {
  return conflict('The Terraform run is closed');
}

/** Postgres has no NUL in text, and jsonb no half of a surrogate pair. */
function json(value: unknown): Prisma.InputJsonValue {
  const text = JSON.stringify(value).replaceAll(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, '$1');
  return JSON.parse(text) as Prisma.InputJsonValue;
}

function toRun({ process, runtimeId, generation, begun, planSummary, endedAt, ...row }: Row): TerraformRun {
  return {
    ...row,
    kind: row.kind as TerraformRunKind,
    state: row.state as TerraformRunState,
    identity: (process as unknown as ProcessIdentity | null) ?? undefined,
    runtimeId: runtimeId ?? undefined,
    generation: generation ?? undefined,
    hasBegun: begun,
    planSummary: (planSummary as unknown as ChangeSummary | null) ?? undefined,
    endedAt: endedAt ?? undefined,
  };
}
