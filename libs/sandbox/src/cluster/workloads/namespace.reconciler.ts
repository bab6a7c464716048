import { CONFIG_MAP, NAMESPACE, SERVICE_ACCOUNT, type Namespace } from '../kinds/core.js';
import type { ClusterKey, ClusterReconciler, KeysOf } from '../runtime/cluster-loop.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { collectionKey } from '../runtime/object-cache.js';
import { ownKey } from './watch-owners.js';

/** Keeps a namespace until its content is gone. */
export const NAMESPACE_FINALIZER = 'kubernetes';

const LOOK_AGAIN_MS = 250;
const ROOT_CA = 'kube-root-ca.crt';

const ofNamespaceWhenGone: KeysOf = ({ key, after }) => (after ? [] : [{ namespace: '', name: key.namespace }]);

/** Gives each namespace its default service account, and empties those that are being deleted. */
export class NamespaceReconciler implements ClusterReconciler {
  readonly name = 'namespace';
  readonly watches: ReadonlyMap<string, KeysOf> = new Map([
    [collectionKey(NAMESPACE), ownKey],
    [collectionKey(SERVICE_ACCOUNT), ofNamespaceWhenGone],
    [collectionKey(CONFIG_MAP), ofNamespaceWhenGone],
  ]);

  async reconcile({ name }: ClusterKey, scope: ClusterScope): Promise<number | undefined> {
    const namespace = scope.cache.find(NAMESPACE, name);
    if (!namespace) return;
    if (namespace.metadata.deletionTimestamp !== undefined) return this.terminate(namespace, scope);
    await scope.update(NAMESPACE, namespace, { status: { ...namespace.status, phase: 'Active' } });
    await scope.ensure(SERVICE_ACCOUNT, { metadata: { name: 'default', namespace: name } });
    await this.publishAuthority(name, scope);
  }

  private async publishAuthority(namespace: string, scope: ClusterScope): Promise<void> {
    const data = { 'ca.crt': scope.record().certificates.ca };
    await scope.ensure(CONFIG_MAP, { metadata: { name: ROOT_CA, namespace }, data });
    const published = scope.cache.find(CONFIG_MAP, ROOT_CA, namespace);
    if (published) await scope.update(CONFIG_MAP, published, { data });
  }

  private async terminate(namespace: Namespace, scope: ClusterScope): Promise<number | undefined> {
    const terminating = await scope.update(NAMESPACE, namespace, {
      status: { ...namespace.status, phase: 'Terminating' },
    });
    const left = await this.removeContent(namespace.metadata.name, scope);
    if (left > 0) return LOOK_AGAIN_MS;
    const finalizers = (terminating.metadata.finalizers ?? []).filter((name) => name !== NAMESPACE_FINALIZER);
    await scope.update(NAMESPACE, terminating, { metadata: { ...terminating.metadata, finalizers } });
  }

  /** Gives how many objects are still there, held by finalizers of their own. */
  private async removeContent(namespace: string, scope: ClusterScope): Promise<number> {
    let left = 0;
    for (const { group, kind } of scope.kinds.namespacedCollections()) {
      const { items } = await scope.store.list({ group, kind, namespace });
      await Promise.all(items.map((item) => scope.remove({ group, kind }, item)));
      if (items.length > 0) left += (await scope.store.list({ group, kind, namespace })).items.length;
    }
    return left;
  }
}
