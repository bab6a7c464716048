import {
  ADD_ON_INSTALLATION,
  apiVersionOf,
  KUBERNETES_CLUSTER,
  type AddOnInstallation,
  type KindDefinition,
  type KubeObject,
  type KubernetesCluster,
} from '@crate/api';
import type { ReconcileContext, ReconcileKey } from '@crate/reconcile';
import { TypedClient, type CallContext } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';

const context: CallContext = { caller: { user: 'test', groups: [] }, traceId: '0'.repeat(32) };

export const KEY: ReconcileKey = { namespace: 'team-a', name: 'demo' };

/** This service's own API in memory, and clients of it. */
export class LocalClients {
  readonly store = new InMemoryResourceStore({ clock: () => this.clock() });
  readonly api = new LocalResourceApi({
    store: this.store,
    clock: () => this.clock(),
    kinds: new KindRegistry([{ definition: KUBERNETES_CLUSTER }, { definition: ADD_ON_INSTALLATION }]),
  });
  readonly clusters = this.clientOf<KubernetesCluster>(KUBERNETES_CLUSTER);
  readonly installations = this.clientOf<AddOnInstallation>(ADD_ON_INSTALLATION);

  /** `clock` gives the times that the API writes, such as those of creation and of a request for deletion. */
  constructor(private readonly clock: () => Date = () => new Date()) {}

  async create<T extends KubeObject>(kind: KindDefinition<T>, object: Partial<T>): Promise<T> {
    const whole = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      ...object,
      metadata: { ...KEY, ...object.metadata },
    };
    const type = { group: kind.group, version: kind.version, plural: kind.plural };
    return (await this.api.create(type, whole, {}, context)).object as T;
  }

  /** How many writes have changed anything so far. */
  async revision(): Promise<string> {
    return this.store.currentRevision();
  }

  private clientOf<T extends KubeObject>(kind: KindDefinition<T>): TypedClient<T> {
    return new TypedClient<T>(this.api, kind, context);
  }
}

/** A pass's context; `epoch` counts up as claims do. */
export function aContext(options: Partial<ReconcileContext> = {}): ReconcileContext {
  const { signal } = new AbortController();
  return { signal, remoteSignal: signal, epoch: BigInt(++epochs), traceId: 'a'.repeat(32), ...options };
}

let epochs = 0;
