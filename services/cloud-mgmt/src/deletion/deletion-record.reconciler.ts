import type { CloudAccount, DeletionRecord } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import { kubernetesClusterTag } from '@crate/infra-aws';
import {
  failureCause,
  gone,
  isNoNews,
  Reconciler,
  saveStatusIfChanged,
  SilentEventRecorder,
  waiting,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { AccountCredentialsStore } from '../cloud-account/account-credentials.js';
import { OWNER_TAG } from '../infrastructure/infrastructure-stack.js';
import type { CloudProviders } from '../provider/cloud-providers.js';
import { deletionRecordStatus, namesOf, newlyGone, type Sighting } from './deletion-record.status.js';

const DAY_MS = 24 * 60 * 60_000;
/** Passes in a row that nobody answered before it is taken for more than a moment's trouble. */
const SILENCES_TO_BELIEVE = 3;

export interface DeletionRecordReconcilerParts {
  readonly records: TypedClient<DeletionRecord>;
  readonly accounts: Pick<TypedClient<CloudAccount>, 'find'>;
  readonly providers: CloudProviders;
  readonly credentials: AccountCredentialsStore;
  /** How long a record is kept; longer while something that was left behind is seen. */
  readonly keptMs: number;
  /** How often what was left behind is looked for. */
  readonly watchEveryMs: number;
  readonly events?: EventRecorder;
  readonly now?: () => Date;
}

/** Watches what forced deletions left behind, and drops records that are old and about nothing any more, or nothing that anybody can see. */
export class DeletionRecordReconciler extends Reconciler {
  override readonly name = 'deletion-record';

  private readonly events: EventRecorder;

  constructor(private readonly parts: DeletionRecordReconcilerParts) {
    super();
    this.events = parts.events ?? new SilentEventRecorder();
  }

  override async reconcile(key: ReconcileKey, context: ReconcileContext): Promise<Outcome> {
    const { records } = this.parts;
    const record = await records.find(key.name, key.namespace);
    if (!record || record.metadata.deletionTimestamp) return gone;
    const now = this.parts.now?.() ?? new Date();
    const seen = await this.look(record, context);
    const after = await saveStatusIfChanged(records, record, deletionRecordStatus(record, seen, now));
    this.tell(record, after, context.traceId);
    const outcome = this.untilOver(after, now);
    if (outcome.kind === 'waiting') return outcome;
    this.tellUnseen(after, context.traceId);
    await records.remove(key.name, key.namespace);
    return outcome;
  }

  /** What is seen is watched for as long as it is. */
  private untilOver({ spec, status }: DeletionRecord, now: Date): Outcome {
    // Absent: nobody could look yet.
    const isPresent = (status?.present ?? 1) > 0;
    const since = isPresent ? status?.unseenSince : spec.deletedAt;
    const leftMs = since === undefined ? Infinity : Date.parse(since) + this.parts.keptMs - now.getTime();
    if (leftMs <= 0) return gone;
    if (isPresent) return waiting('WatchingWhatIsLeft', Math.min(leftMs, this.parts.watchEveryMs));
    return waiting('Kept', Math.min(leftMs, DAY_MS));
  }

  /** As `list`, with why it throws. Throws what may be over in a moment. */
  private async look(record: DeletionRecord, { remoteSignal, attempts = 0 }: ReconcileContext): Promise<Sighting> {
    try {
      return await this.list(record, remoteSignal);
    } catch (error) {
      if (isNoNews(error, attempts) || (isSilence(error) && attempts < SILENCES_TO_BELIEVE)) throw error;
      const { message, remedy } = failureCause(error);
      return { why: remedy === undefined ? message : `${message}. ${remedy}` };
    }
  }

  /** What of it is listed, or why there is no account to look in. Throws what the provider throws. */
  private async list({ spec, metadata }: DeletionRecord, signal: AbortSignal): Promise<Sighting> {
    if (spec.proof.abandoned.length === 0 && spec.proof.inventoryEmptyAt !== undefined) return [];
    const account = await this.parts.accounts.find(spec.account.name, metadata.namespace);
    if (!account) return { why: `CloudAccount "${spec.account.name}" does not exist` };
    // An account of that name may be another one by now.
    const { id = account.spec.accountId } = spec.account;
    if (account.spec.accountId !== id) return { why: `CloudAccount "${spec.account.name}" is not account ${id}` };
    const { accountId } = account.spec;
    const access = { accountId, credentials: await this.parts.credentials.find(account), region: spec.region };
    const provider = this.parts.providers.get(account.spec.provider);
    const { uid } = spec.infrastructure;
    const clusterTag = kubernetesClusterTag({ clusterName: spec.cluster.name, infrastructureUid: uid });
    const owned = await provider.listByTag(access, [OWNER_TAG, uid], signal);
    const inCluster = await provider.listByTag(access, [clusterTag, 'owned'], signal);
    const place = { account: accountId, region: spec.region };
    return [...owned, ...inCluster].map(({ type, id }) => ({ kind: type, name: id, ...place }));
  }

  private tell(before: DeletionRecord, after: DeletionRecord, traceId: string): void {
    const found = newlyGone(before, after);
    if (found.length === 0) return;
    const message = `What was left behind is gone: ${namesOf(found)}`;
    this.events.record(after, { type: 'Normal', reason: 'AbandonedGone', message, traceId });
  }

  private tellUnseen(record: DeletionRecord, traceId: string): void {
    const { watched = [], unseenSince } = record.status ?? {};
    const { account, region } = record.spec;
    if (unseenSince === undefined) return;
    const present = watched.filter(({ state }) => state === 'Present');
    const place = `${region} of ${account.name}${account.id === undefined ? '' : ` (${account.id})`}`;
    const names = present.length === 0 ? 'nobody knows what' : namesOf(present);
    const message = `Nobody could look since ${unseenSince}, so what was left behind in ${place} is watched no more: ${names}`;
    this.events.record(record, { type: 'Warning', reason: 'AbandonedUnseen', message, traceId });
  }
}

/** No answer, which the next may be. */
function isSilence(error: unknown): boolean {
  const { code, retry } = toPlatformError(error);
  return retry === 'backoff' && (code === 'Unavailable' || code === 'Timeout');
}
