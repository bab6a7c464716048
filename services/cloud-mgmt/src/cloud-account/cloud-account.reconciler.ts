import { findCondition, isConditionTrue, type CloudAccount, type Infrastructure } from '@crate/api';
import {
  ensureFinalizer,
  gone,
  isInterruption,
  isStillThere,
  recordPass,
  Reconciler,
  removeFinalizer,
  saveStatusIfChanged,
  settled,
  SilentEventRecorder,
  waiting,
  type EventRecorder,
  type Outcome,
  type Pass,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { heldByRecovery, type RecoveryHold } from '@crate/service-host';
import type { Logger } from '@crate/telemetry';
import type { CloudProviders } from '../provider/cloud-providers.js';
import type { AccountCredentialsStore } from './account-credentials.js';
import { usersOf } from './account-users.js';
import { CLOUD_ACCOUNT_TELLINGS, replacedCredentials } from './cloud-account.events.js';
import { CLOUD_ACCOUNT_FINALIZER } from './cloud-account.finalizer.js';
import { cloudAccountStatus } from './cloud-account.status.js';

/** Credentials that were refused may be put right at the provider, of which nobody tells us. */
const RECHECK_MS = 20_000;
const USERS_POLL_MS = 5_000;
/** Identity and tags are the same everywhere; this region is part of every account. */
const CHECK_REGION = 'us-east-1';

export interface CloudAccountReconcilerParts {
  readonly accounts: TypedClient<CloudAccount>;
  readonly infrastructures: TypedClient<Infrastructure>;
  readonly credentials: AccountCredentialsStore;
  readonly providers: CloudProviders;
  /** Forgets what is kept about sweeps of the account. Idempotent. */
  readonly forgetSweeps: (account: CloudAccount) => Promise<void>;
  /** Told when an account became ready, so that what waits for it need not poll. */
  readonly onReady: (users: readonly Infrastructure[]) => Promise<void>;
  /** Holds deletions back while the database is older than the world. */
  readonly recovery?: Pick<RecoveryHold, 'isClosed'>;
  readonly events?: EventRecorder;
  readonly logger?: Logger;
  readonly now?: () => Date;
}

/** Keeps saying whether an account can be used. */
export class CloudAccountReconciler extends Reconciler {
  override readonly name = 'cloud-account';

  constructor(private readonly parts: CloudAccountReconcilerParts) {
    super();
  }

  override async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const found = await this.parts.accounts.find(key.name, key.namespace);
    if (!found) return gone; // The finalizer that admission sets would have kept it.
    if (found.metadata.deletionTimestamp) return this.tearDown(found, context);
    return this.check(await ensureFinalizer(this.parts.accounts, found, CLOUD_ACCOUNT_FINALIZER), context);
  }

  private async check(account: CloudAccount, context: ReconcileContext): Promise<Outcome> {
    const check = await this.ask(account, context);
    // A restart is no fault of the account.
    if (!check.ok && isInterruption(check.error)) throw check.error;

    await this.record(account, { check, users: [] }, context);
    if (!check.ok) return waiting('CheckFailed', RECHECK_MS);
    if (!isConditionTrue(account.status?.conditions, 'Ready')) {
      await this.parts.onReady(await usersOf(account, this.parts.infrastructures));
    }
    // Once those in their place are good.
    await this.parts.credentials.removeReplaced(account);
    return settled;
  }

  private async ask(account: CloudAccount, context: ReconcileContext): Promise<Pass> {
    try {
      const { accountId, provider } = account.spec;
      const credentials = await this.parts.credentials.find(account);
      const access = { accountId, credentials, region: CHECK_REGION };
      await this.parts.providers.get(provider).checkCredentials(access, context.remoteSignal);
      return { ok: true, outcome: settled };
    } catch (error) {
      return { ok: false, error };
    }
  }

  /** Admission refuses to delete an account in use; an Infrastructure may have come in between. */
  private async tearDown(account: CloudAccount, context: ReconcileContext): Promise<Outcome> {
    const users = await usersOf(account, this.parts.infrastructures);
    // Clusters that the memory has lost may live in it, and only its credentials reach them.
    const isHeld = users.length === 0 && (await this.parts.recovery?.isClosed());
    const hold = isHeld ? heldByRecovery('The deletion is held') : undefined;
    await this.record(account, { users: users.map(({ metadata }) => metadata.name), hold }, context);
    if (users.length > 0) return waiting('WaitingForUsers', USERS_POLL_MS);
    if (hold) throw hold;
    await this.parts.forgetSweeps(account);
    // They are kept by name: a pass that was overtaken must not take those of the next account of that name.
    if (!(await isStillThere(this.parts.accounts, account))) return settled;
    await this.parts.credentials.removeAll(account.metadata);
    await removeFinalizer(this.parts.accounts, account, CLOUD_ACCOUNT_FINALIZER);
    return settled;
  }

  private async record(
    before: CloudAccount,
    facts: Parameters<typeof cloudAccountStatus>[1],
    { traceId }: ReconcileContext,
  ): Promise<void> {
    const { events = new SilentEventRecorder(), now = () => new Date() } = this.parts;
    const after = await saveStatusIfChanged(this.parts.accounts, before, cloudAccountStatus(before, facts, now()));
    this.logNews(facts.check, before, after);
    const replaced = replacedCredentials(before, after);
    if (replaced) events.record(after, { ...replaced, traceId });
    recordPass(events, CLOUD_ACCOUNT_TELLINGS, { before, after, pass: { ok: true, outcome: settled }, traceId });
  }
  /** A pass that could not ask counts as good: only here is the whole error told, once for each cause. */
  private logNews(check: Pass | undefined, before: CloudAccount, after: CloudAccount): void {
    if (!check || check.ok) return;
    const told = ({ status }: CloudAccount): string | undefined => findCondition(status?.conditions, 'Ready')?.message;
    if (told(before) === told(after)) return;
    this.parts.logger?.warn('Checking a CloudAccount failed', { account: after.metadata.name, error: check.error });
  }
}
