import type { KindDefinition, KubeObject } from '@crate/api';
import type { ServiceMethod } from '@crate/messaging';
import type { ReconcileKey, Reconciler, ReconcilerOptions } from '@crate/reconcile';
import type { ServedKind } from '@crate/resource-server';
import type { ForeignChange } from './foreign-watch.js';
import type { StatusParts } from './status/service-status.js';

/** Kinds whose changes make keys of a reconciler due. */
export interface ReconcilerWatch {
  readonly kind: KindDefinition;
  /** Which keys a changed object concerns; told of each change at least once, and of all that exists at the start. */
  readonly keysOf: (
    object: KubeObject,
    change: ForeignChange,
  ) => readonly ReconcileKey[] | Promise<readonly ReconcileKey[]>;
  /** Changes of this long are answered by one pass: for passes that look at many objects when any one changes. Default 0. */
  readonly gatherMs?: number;
  /**
   * What passes go by in an object; what it gives is compared as JSON. Changes of nothing but the rest, which they only show, are one pass
   * in two seconds. Default: all of it.
   */
  readonly essenceOf?: (object: KubeObject) => unknown;
}

/**
 * Changes at another service that this one only hears of, and may not look at: which namespace, and no more. Told at most once, so what is
 * missed is found by the next resync.
 */
export interface ReconcilerHints {
  readonly kinds: readonly KindDefinition[];
  /** Which keys changes in these namespaces concern; '' is that of kinds in none. */
  readonly keysOf: (namespaces: readonly string[]) => Promise<readonly ReconcileKey[]>;
  /** Hints of this long are looked into together. */
  readonly gatherMs: number;
}

/** A reconciler as a service registers it. */
export interface RegisteredReconciler {
  readonly reconciler: Reconciler;
  /** Its keys are the objects of this kind; every change of one makes its key due in the same transaction. */
  readonly kind: KindDefinition;
  readonly options?: Partial<ReconcilerOptions>;
  readonly watches?: readonly ReconcilerWatch[];
  readonly hints?: ReconcilerHints;
}

/** What a service is made of, beyond what every service has. */
export interface ServiceParts {
  readonly kinds: readonly ServedKind[];
  readonly reconcilers: readonly RegisteredReconciler[];
  /** Further methods for other services, such as policy-mgmt's `review`. */
  readonly methods?: Readonly<Record<string, ServiceMethod>>;
  /** What it tells of how it is, beyond what every service does. */
  readonly status?: StatusParts;
  /** Runs once this service's own kinds can be used and NATS is connected, before others call it and reconcilers start. */
  readonly onStart?: () => Promise<void>;
  /** Runs when reconcilers have stopped and calls of other services have ended. */
  readonly onStop?: () => Promise<void>;
}

/** The kinds of a service; those that one of its reconcilers looks after say so. Pure. */
export function servedKinds({
  kinds,
  reconcilers,
}: Pick<ServiceParts, 'kinds' | 'reconcilers'>): readonly ServedKind[] {
  const reconciled = new Set(reconcilers.map(({ kind }) => `${kind.group}/${kind.plural}`));
  const isReconciled = ({ definition: { group, plural } }: ServedKind): boolean => reconciled.has(`${group}/${plural}`);
  return kinds.map((kind) => (isReconciled(kind) ? { ...kind, isReconciled: true } : kind));
}

/** Token under which a service's module provides its `ServiceParts`. */
export const SERVICE_PARTS = Symbol('SERVICE_PARTS');
/** Token of the service's typed configuration. */
export const CONFIG = Symbol('CONFIG');
