import type { KubeObject } from '@crate/api';
import { ensureFinalizer, removeFinalizer, settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { findChild } from '../cluster.children.js';
import { HANDOVER_FINALIZER, passForceOn, takeOffForeignFinalizers } from '../cluster.deletion.js';
import type { ClusterScope } from '../cluster.scope.js';
import { CHILD_POLL_MS, readyMessage } from './child.js';

export interface RemoveChildOptions<T extends KubeObject> {
  /** Notes in the scope what the child says. */
  readonly remember: (scope: ClusterScope, child: T) => void;
  /** Tells the child what its removal has to keep to, before it is asked for and while it goes on. Idempotent. */
  readonly instruct?: (scope: ClusterScope, child: T) => Promise<T>;
  /** Takes over what the child has come to know; the child stays until this is done. Idempotent. */
  readonly handOver?: (scope: ClusterScope, child: T) => Promise<void>;
}

/** Removes one child and waits until it is really gone; its own finalizer proves that nothing is left behind. */
export class RemoveChildPhase<T extends KubeObject> {
  constructor(
    private readonly client: TypedClient<T>,
    private readonly options: RemoveChildOptions<T>,
  ) {}

  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    const found = await findChild(this.client, scope.cluster, scope.cluster.metadata.name);
    if (!found) return settled;
    const child = (await this.options.instruct?.(scope, found)) ?? found;
    const asked = child.metadata.deletionTimestamp ? child : await this.ask(child);
    const left = asked && (await this.letGo(scope, asked));
    if (!left) return settled;

    this.options.remember(scope, left);
    const { kind } = this.client.kind;
    scope.blockers = [`${kind} "${left.metadata.name}": ${readyMessage(left)}`];
    return waiting(`WaitingFor${kind}Removal`, CHILD_POLL_MS);
  };

  /** Asks for the deletion; gives what is left. */
  private async ask(child: T): Promise<T | undefined> {
    const { name, namespace, uid } = child.metadata;
    // Before the deletion is asked for: afterwards nobody can be sure that the child is there to be read.
    if (this.options.handOver) await ensureFinalizer(this.client, child, HANDOVER_FINALIZER);
    const left = await this.client.remove(name, namespace, { preconditions: { uid } });
    return left?.metadata.deletionTimestamp === undefined ? undefined : left;
  }

  /** Takes finalizers off a child that is being deleted, as far as they are lifecycle's to take off; gives what is left. */
  private async letGo(scope: ClusterScope, child: T): Promise<T | undefined> {
    const told = await passForceOn(this.client, scope.cluster, child);
    const foreign = await takeOffForeignFinalizers(this.client, scope.cluster, told);
    scope.abandoned = [...(scope.abandoned ?? []), ...foreign];
    const { finalizers = [], name, namespace } = told.metadata;
    const isDone = finalizers.length === foreign.length + 1 && finalizers.includes(HANDOVER_FINALIZER);
    if (foreign.length === 0 && !isDone) return told;
    if (isDone) {
      await this.options.handOver?.(scope, told);
      await removeFinalizer(this.client, told, HANDOVER_FINALIZER);
    }
    const left = await this.client.find(name, namespace);
    return left?.metadata.uid === told.metadata.uid ? left : undefined;
  }
}
