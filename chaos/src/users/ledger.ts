import type { KubeObject } from '../world/kube-object.js';

/** A write that was answered with success. */
export interface Acknowledged {
  readonly what: 'stored' | 'deleted' | 'approved';
  readonly kind: string;
  readonly uid: string;
  readonly name: string;
  readonly revision: number;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Notes what users were promised. */
export class Ledger {
  private readonly entries: Acknowledged[] = [];

  get acknowledged(): readonly Acknowledged[] {
    return this.entries;
  }

  note(what: Acknowledged['what'], kind: string, { metadata, spec }: KubeObject): void {
    const { uid, name, resourceVersion } = metadata;
    this.entries.push({ what, kind, uid, name, revision: Number(resourceVersion), spec: spec ?? {} });
  }
}
