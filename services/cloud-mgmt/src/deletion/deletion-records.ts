import {
  CLUSTER_NAME_LABEL,
  CLUSTER_UID_LABEL,
  deletionForcedOf,
  toTimestamp,
  withoutUndefined,
  type AbandonedResource,
  type CloudAccount,
  type DeletionRecord,
  type DeletionRecordSpec,
  type Infrastructure,
} from '@crate/api';
import { SilentEventRecorder, type EventRecorder } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { OWNER_TAG } from '../infrastructure/infrastructure-stack.js';
import type { InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { keptVolumesOf } from './leftovers.js';

const FIELD_MANAGER = 'crate-cloud-mgmt';

/** What a pass knows of an Infrastructure that is about to be gone. */
export interface DeletionEnd {
  /** Undefined when it was gone before. */
  readonly account: CloudAccount | undefined;
  /** When a listing by tag was empty; undefined when it was not. */
  readonly emptyAt: string | undefined;
  readonly traceId: string;
}

export interface DeletionRecordsParts {
  readonly records: TypedClient<DeletionRecord>;
  readonly events?: EventRecorder;
  readonly now?: () => Date;
}

/** Writes down what became of Infrastructures. */
export class DeletionRecords {
  constructor(private readonly parts: DeletionRecordsParts) {}

  /** Writes the record, once: a pass that comes again after a crash leaves the first one as it is, but adds what is abandoned since. */
  async write(scope: InfrastructureScope, end: DeletionEnd): Promise<void> {
    const { infrastructure } = scope;
    const { namespace, labels } = infrastructure.metadata;
    const name = deletionRecordName(infrastructure);
    const known = await this.find(infrastructure);
    const abandoned = abandonedIn(scope);
    if (known && known.spec.proof.abandoned.length >= abandoned.length) return;
    const spec = recordSpec(infrastructure, { ...end, abandoned, now: this.parts.now?.() ?? new Date() });
    const metadata = { name, namespace: namespace ?? '', labels: clusterLabels(labels) };
    await this.parts.records.ensure({ metadata, spec }, FIELD_MANAGER);
    const kept = keptVolumesOf(infrastructure);
    const message = [proofText(spec), ...(kept.length > 0 ? [`kept as asked for: ${kept.join(', ')}`] : [])].join('; ');
    const events = this.parts.events ?? new SilentEventRecorder();
    const isEmpty = spec.proof.inventoryEmptyAt !== undefined;
    const type = isEmpty ? 'Normal' : 'Warning';
    const reason = isEmpty ? 'DeletionProven' : 'DeletionIncomplete';
    events.record(infrastructure, { type, reason, message, traceId: end.traceId });
  }

  /** Whether a pass has come as far as the record. What is kept about the Infrastructure, its state too, may be removed from then on. */
  async isWritten(infrastructure: Infrastructure): Promise<boolean> {
    return (await this.find(infrastructure)) !== undefined;
  }

  private find(infrastructure: Infrastructure): Promise<DeletionRecord | undefined> {
    return this.parts.records.find(deletionRecordName(infrastructure), infrastructure.metadata.namespace);
  }
}

/** Name of the record of one Infrastructure; there may be many of one name, one after the other. */
export function deletionRecordName({ metadata: { name, uid } }: Infrastructure): string {
  return `${name}-${uid}`;
}

function recordSpec(
  infrastructure: Infrastructure,
  { account, emptyAt, abandoned, now }: DeletionEnd & { abandoned: readonly AbandonedResource[]; now: Date },
): DeletionRecordSpec {
  const { metadata, spec } = infrastructure;
  const forced = deletionForcedOf(infrastructure);
  const kept = keptVolumesOf(infrastructure);
  return {
    infrastructure: { name: metadata.name, uid: metadata.uid },
    cluster: { name: spec.clusterName, uid: spec.clusterUid },
    account: { name: spec.accountRef.name, ...(account ? { id: account.spec.accountId } : {}) },
    ...(account ? { provider: account.spec.provider } : {}),
    region: spec.region,
    requestedAt: metadata.deletionTimestamp ?? toTimestamp(now),
    deletedAt: toTimestamp(now),
    proof: {
      tag: `${OWNER_TAG}=${metadata.uid}`,
      ...(emptyAt === undefined ? {} : { inventoryEmptyAt: emptyAt }),
      abandoned: [...abandoned],
      ...(kept.length > 0 ? { keptVolumes: [...kept] } : {}),
    },
    ...(forced ? { forced } : {}),
  };
}

/** In this pass, and in those before. */
function abandonedIn({ infrastructure, abandoned }: InfrastructureScope): readonly AbandonedResource[] {
  const all = [...(infrastructure.status?.deletion?.abandoned ?? []), ...abandoned];
  return [...new Map(all.map((one) => [`${one.kind} ${one.name}`, one])).values()];
}

function clusterLabels(labels: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const kept = [CLUSTER_NAME_LABEL, CLUSTER_UID_LABEL].map((name) => [name, labels?.[name]] as const);
  return withoutUndefined(Object.fromEntries(kept));
}

function proofText({ proof }: DeletionRecordSpec): string {
  if (proof.inventoryEmptyAt !== undefined) return `Nothing carries ${proof.tag}, listed at ${proof.inventoryEmptyAt}`;
  const names = proof.abandoned.map(({ kind, name }) => `${kind} ${name}`);
  return names.length === 0 ? 'Nobody could look whether something is left' : `Left behind: ${names.join(', ')}`;
}
