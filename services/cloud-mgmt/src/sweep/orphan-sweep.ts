import { isPaused, type CloudAccount, type SweepFinding, type SweepReport } from '@crate/api';
import { OWNER_TAGS } from '@crate/infra-aws';
import type { ReconcileContext } from '@crate/reconcile';
import type { AccountCredentialsStore } from '../cloud-account/account-credentials.js';
import type { CloudAccess } from '../provider/cloud-provider.js';
import type { CloudProviders } from '../provider/cloud-providers.js';
import type { RecoveryGate } from '../recovery/recovery-gate.js';
import { asking } from './asked-owners.js';
import { sweepKey, type OrphanRemover, type RemovalTask } from './orphan-remover.js';
import { planRemovals, sweepModeOf, type RemovalPlan } from './sweep-brake.js';
import { decideSweep, type SweepVerdict } from './sweep-decision.js';
import type { SweepObservation, SweepObserver } from './sweep-observer.js';
import { bounded, unansweredText } from './sweep.status.js';
import { GLOBAL, resourceKey, type LiveOwner } from './sweep-world.js';

/** IAM is asked in one region, which is part of every account. */
const GLOBAL_REGION = 'us-east-1';
const SHORTEST_LAG_MS = 5_000;

export interface OrphanSweepParts {
  readonly observer: Pick<SweepObserver, 'observe'>;
  readonly remover: Pick<OrphanRemover, 'remove' | 'forget'>;
  readonly providers: CloudProviders;
  readonly credentials: AccountCredentialsStore;
  /** How long something must have been found before it is acted upon. */
  readonly graceMs: number;
  /** Most resources that one pass removes. */
  readonly maxPerPass: number;
  /** While the database is older than the world, what nobody owns is told of and never removed. */
  readonly recovery?: Pick<RecoveryGate, 'isClosed'>;
}

/** What a look at an account came to. */
export interface SweepLook extends Pick<SweepObservation, 'regions' | 'world'> {
  readonly verdict: SweepVerdict;
  readonly plan: RemovalPlan;
  /** After a removal, how long until a listing shows it. */
  readonly lagMs: number;
}

/** Looks for what nobody owns in an account, and removes what is proven abandoned. */
export class OrphanSweep {
  constructor(private readonly parts: OrphanSweepParts) {}

  /** Changes nothing. Throws what the provider throws. */
  async look(account: CloudAccount, signal: AbortSignal): Promise<SweepLook> {
    const { observer, graceMs, maxPerPass } = this.parts;
    const { regions, world } = await observer.observe(account, signal);
    const verdict = decideSweep(world);
    const { findings, own } = verdict;
    const isRecovering = await this.isRecovering();
    const question = { findings, own, graceMs, maxPerPass, isRecovering, now: world.now };
    const provider = this.parts.providers.get(account.spec.provider);
    const lagMs = Math.max(
      SHORTEST_LAG_MS,
      await provider.listingLagMs(await this.access(account, GLOBAL_REGION), signal),
    );
    const plan = planRemovals(account.spec.sweep, question);
    const toAsk = plan.askOwners.filter(({ owner }) => isToAsk(world.live.get(owner.uid)));
    const askOwners = asking(toAsk, (uid) => world.live.get(uid)?.lastRunId);
    return { regions, world, verdict, plan: { ...plan, askOwners }, lagMs };
  }

  /** What a sweep would do, for people. */
  async report(account: CloudAccount, signal: AbortSignal): Promise<SweepReport> {
    const { regions, world, verdict, plan } = await this.look(account, signal);
    const silent = world.unanswered.map(({ place }) => place);
    return {
      regions: regions.filter((region) => !silent.includes(region)),
      ...(silent.length === 0 ? {} : { unanswered: world.unanswered.map(unansweredText) }),
      listed: world.listed.length,
      others: verdict.others,
      mode: (await this.isRecovering()) ? 'report' : sweepModeOf(account.spec.sweep),
      ...(plan.held === undefined ? {} : { held: plan.held.message }),
      ...bounded([...verdict.findings, ...verdict.kept]),
    };
  }

  /** Removes what the look says may go now. Gives what was removed. Throws as `OrphanRemover.remove`. */
  async remove(
    account: CloudAccount,
    { plan, world }: SweepLook,
    context: ReconcileContext,
  ): Promise<readonly SweepFinding[]> {
    const importIds = new Map(world.listed.map((one) => [resourceKey(one), one.importId]));
    for (const [region, findings] of byRegion(plan.now)) {
      const orphans = findings.map((one) => ({ ...one, importId: importIds.get(resourceKey(one)) ?? one.id }));
      const owners = new Map(findings.map((one) => [resourceKey(one), one.owner.uid]));
      const access = await this.access(account, region);
      const provider = this.parts.providers.get(account.spec.provider);
      const isMeant: RemovalTask['isMeant'] = (orphan, tags) =>
        tags[OWNER_TAGS.infrastructureUid] === owners.get(resourceKey(orphan));
      const key = sweepKey(account, access.region);
      await this.parts.remover.remove({ key, account, provider, access, orphans, isMeant, context });
    }
    return plan.now;
  }

  /** Forgets everything about the sweeps of an account that goes. Idempotent. */
  async forget(account: CloudAccount): Promise<void> {
    const regions = account.status?.sweep?.regions ?? [];
    if (regions.length === 0) return;
    const provider = this.parts.providers.get(account.spec.provider);
    for (const region of [...regions, GLOBAL_REGION])
      await this.parts.remover.forget(sweepKey(account, region), provider);
  }

  private async isRecovering(): Promise<boolean> {
    return (await this.parts.recovery?.isClosed()) ?? false;
  }

  private async access(account: CloudAccount, region: string): Promise<CloudAccess> {
    const credentials = await this.parts.credentials.find(account);
    return { accountId: account.spec.accountId, credentials, region };
  }
}

/** What has no region goes last: machines use roles, not the other way round. */
function byRegion(findings: readonly SweepFinding[]): readonly (readonly [string, readonly SweepFinding[]])[] {
  const all = [...new Set(findings.map(({ region }) => region))].sort();
  const regions = [...all.filter((one) => one !== GLOBAL), ...all.filter((one) => one === GLOBAL)];
  return regions.map((region) => [
    region === GLOBAL ? GLOBAL_REGION : region,
    findings.filter((finding) => finding.region === region),
  ]);
}

/** One that is paused begins no run to answer by, and would have the account swept again and again for as long as that lasts. */
function isToAsk(owner: LiveOwner | undefined): boolean {
  return owner === undefined || !(owner.looksAnyway || isPaused(owner.infrastructure));
}
