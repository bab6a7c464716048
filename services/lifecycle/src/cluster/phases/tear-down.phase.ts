import type { KubeObject } from '@crate/api';
import { settled, waiting, type Outcome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import { findChild } from '../cluster.children.js';
import type { ClusterScope } from '../cluster.scope.js';
import { CHILD_POLL_MS, readyMessage } from './child.js';

/** Removes one child and waits until it is really gone; its own finalizer proves that nothing is left behind. */
export class RemoveChildPhase<T extends KubeObject> {
  constructor(
    private readonly client: TypedClient<T>,
    private readonly remember: (scope: ClusterScope, child: T) => void,
  ) {}

  readonly run = async (scope: ClusterScope): Promise<Outcome> => {
    const { name, namespace } = scope.cluster.metadata;
    const child = await findChild(this.client, scope.cluster, name);
    if (!child) return settled;

    const left = child.metadata.deletionTimestamp ? child : await this.client.remove(name, namespace);
    if (!left?.metadata.deletionTimestamp) return settled;
    this.remember(scope, left);
    const { kind } = this.client.kind;
    scope.blockers = [`${kind} "${name}": ${readyMessage(left)}`];
    return waiting(`WaitingFor${kind}Removal`, CHILD_POLL_MS);
  };
}
