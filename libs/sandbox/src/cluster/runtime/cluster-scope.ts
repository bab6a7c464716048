import { isDeepStrictEqual } from 'node:util';
import { apiVersionOf, toTimestamp, type KindDefinition, type KubeObject, type ObjectMeta } from '@crate/api';
import { hasCode } from '@crate/errors';
import type { Logger } from '@crate/telemetry';
import type { ObjectKey, ResourceStore } from '@crate/resource-store';
import type { ClusterCloud } from '../cluster-cloud.js';
import type { LocalPods } from '../containers/local-pods.js';
import type { Endpoint } from '../cluster-listener.js';
import type { ClusterRecord, Latency } from '../cluster-record.js';
import type { Authenticator } from '../http/authenticator.js';
import type { SimulatedMachine } from '../machines.js';
import type { ClusterKinds } from '../kinds/cluster-kinds.js';
import type { ObjectCache } from './object-cache.js';

/** A new object as a reconciler states it; the store fills in the rest of the metadata. */
export type NewObject<T extends KubeObject> = OwnFields<T> & {
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
};

/** The fields a kind declares; `Omit` would lose them to the index signature. */
type OwnFields<T> = {
  [K in keyof T as string extends K ? never : K extends 'apiVersion' | 'kind' | 'metadata' ? never : K]: T[K];
};

export interface ClusterScopeOptions {
  readonly store: ResourceStore;
  readonly cache: ObjectCache;
  readonly kinds: ClusterKinds;
  /** As it is now; nodes join and leave while the cluster runs. */
  readonly record: () => ClusterRecord;
  /** Undefined when the machine of that node is gone. */
  readonly machineOf: (nodeName: string) => SimulatedMachine | undefined;
  /** Absent: nobody makes load balancers and volumes in a cloud. */
  readonly cloud?: ClusterCloud;
  /** Absent: no container is more than a status. */
  readonly pods?: LocalPods;
  /** Makes tokens of service accounts. */
  readonly tokens: Pick<Authenticator, 'issue'>;
  /** Where the cluster's API can be reached now; absent: nowhere. */
  readonly endpoint?: () => Endpoint | undefined;
  readonly latency: () => Latency;
  readonly logger: Logger;
}

/** What reconcilers of one simulated cluster share: reads from memory, writes that are seen at once. */
export class ClusterScope {
  readonly store: ResourceStore;
  readonly cache: ObjectCache;
  readonly kinds: ClusterKinds;
  readonly record: () => ClusterRecord;
  readonly machineOf: (nodeName: string) => SimulatedMachine | undefined;
  readonly cloud: ClusterCloud | undefined;
  readonly pods: LocalPods | undefined;
  readonly tokens: Pick<Authenticator, 'issue'>;
  readonly endpoint: () => Endpoint | undefined;
  readonly latency: () => Latency;
  readonly logger: Logger;
  private readonly delays = new Map<string, number>();
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(options: ClusterScopeOptions) {
    this.store = options.store;
    this.cache = options.cache;
    this.kinds = options.kinds;
    this.record = options.record;
    this.machineOf = options.machineOf;
    this.cloud = options.cloud;
    this.pods = options.pods;
    this.tokens = options.tokens;
    this.endpoint = options.endpoint ?? (() => undefined);
    this.latency = options.latency;
    this.logger = options.logger;
  }

  /** A running machine of the control plane, where controllers run; undefined while there is none. */
  controllerMachine(): string | undefined {
    const { members } = this.record();
    const servers = members.filter(({ roles }) => roles.includes('controlplane'));
    return servers.find(({ nodeName }) => this.machineOf(nodeName)?.isRunning)?.machineId;
  }

  /**
   * Milliseconds until `delayMs` have passed since this was first asked for `topic`; 0 once, when they have.
   * Forgotten on a restart, which starts the wait again.
   */
  remaining(topic: string, delayMs: number): number {
    const now = performance.now();
    const end = this.delays.get(topic) ?? now + delayMs;
    if (end <= now) {
      this.delays.delete(topic);
      return 0;
    }
    this.delays.set(topic, end);
    return Math.ceil(end - now);
  }

  /** Runs work on one topic one after the other: choices that must see each other's outcome. */
  serially<T>(topic: string, work: () => Promise<T>): Promise<T> {
    const before = this.turns.get(topic) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.turns.set(
      topic,
      turn.catch(() => undefined),
    );
    return turn;
  }

  /** Drops a wait that is no longer wanted. */
  forget(topic: string): void {
    this.delays.delete(topic);
  }

  /** Throws AlreadyExists. */
  async create<T extends KubeObject>(kind: KindDefinition<T>, object: NewObject<T>): Promise<T> {
    const complete = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...object } as unknown as KubeObject;
    const created = await this.store.create(complete);
    this.cache.written(keyOf(kind, created), created);
    return created as T;
  }

  /** Creates unless there is one of that name already. */
  async ensure<T extends KubeObject>(kind: KindDefinition<T>, object: NewObject<T>): Promise<void> {
    if (this.cache.find(kind, object.metadata.name, object.metadata.namespace)) return;
    try {
      await this.create(kind, object);
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error;
    }
  }

  /** Writes only when something differs; on a lost race the cache is brought up to date and Conflict thrown. */
  async update<T extends KubeObject>(kind: KindDefinition<T>, before: T, change: Partial<T>): Promise<T> {
    const after = { ...before, ...change };
    if (isDeepStrictEqual(before, after)) return before;
    const key = keyOf(kind, before);
    try {
      const updated = await this.store.update(after);
      this.cache.written(key, isGone(updated) ? undefined : updated);
      return updated as T;
    } catch (error) {
      if (hasCode(error, 'Conflict', 'NotFound')) await this.cache.refresh(key);
      throw error;
    }
  }

  /** Absent already counts as done. */
  async remove(kind: Pick<KindDefinition, 'group' | 'kind'>, object: KubeObject): Promise<void> {
    const key = keyOf(kind, object);
    try {
      await this.store.remove(key, { uid: object.metadata.uid });
    } catch (error) {
      if (!hasCode(error, 'NotFound', 'Conflict')) throw error;
    }
    await this.cache.refresh(key);
  }

  /** Now, as objects have it. */
  now(): string {
    return toTimestamp(new Date());
  }
}

export function keyOf(kind: Pick<KindDefinition, 'group' | 'kind'>, object: KubeObject): ObjectKey {
  const { namespace, name } = object.metadata;
  return { group: kind.group, kind: kind.kind, namespace: namespace ?? '', name };
}

/** An update that took the last finalizer of a deleted object away removed it. */
function isGone(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
}
