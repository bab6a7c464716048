import type { NewKey } from '../platform/new-keys.js';
import type { KubeObject } from '../world/kube-object.js';

/** A write that was answered with success. */
export interface Acknowledged {
  readonly what: 'stored' | 'deleted' | 'approved' | 'restored' | 'exposed';
  readonly kind: string;
  readonly uid: string;
  readonly name: string;
  readonly revision: number;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Uid of what it belongs to, if that is named first. */
  readonly owner?: string;
  /** Of the credentials that were sent with it. */
  readonly accessKeyId?: string;
  /** What was said beside the spec, and has to be there as well. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Notes what users were promised. */
export class Ledger {
  /** Keys that services were given; what they keep has to be moved under them. */
  readonly keys: NewKey[] = [];
  private readonly entries: Acknowledged[] = [];

  get acknowledged(): readonly Acknowledged[] {
    return this.entries;
  }

  note(
    what: Acknowledged['what'],
    kind: string,
    { metadata, spec }: KubeObject,
    beside: Pick<Acknowledged, 'accessKeyId' | 'annotations'> = {},
  ): void {
    const { uid, name, resourceVersion, ownerReferences: [owner] = [] } = metadata;
    const of = owner ? { owner: owner.uid } : {};
    this.entries.push({ what, kind, uid, name, revision: Number(resourceVersion), spec: spec ?? {}, ...of, ...beside });
  }
}
