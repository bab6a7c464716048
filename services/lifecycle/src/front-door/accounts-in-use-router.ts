import { CLOUD_ACCOUNT, type Cluster } from '@crate/api';
import { PlatformError } from '@crate/errors';
import {
  ResourceRouter,
  type KindInfo,
  type ResourceApi,
  type Route,
  type TypedClient,
  withMethods,
} from '@crate/resource-client';

const SHOWN = 20;

/**
 * Refuses to delete a CloudAccount that clusters refer to, naming them: their own service sees infrastructures only, and a
 * cluster may not have come that far.
 */
export class AccountsInUseRouter extends ResourceRouter {
  constructor(
    private readonly inner: ResourceRouter,
    private readonly clusters: Pick<TypedClient<Cluster>, 'list'>,
    /** Told once an account is being deleted, and before its deletion is acknowledged; without a name: any of the Project. */
    private readonly onRemoval: (name: string | undefined, namespace: string | undefined) => void,
  ) {
    super();
  }

  kinds(): readonly KindInfo[] {
    return this.inner.kinds();
  }

  find(group: string, version: string, plural: string): Route | undefined {
    const route = this.inner.find(group, version, plural);
    if (!route || group !== CLOUD_ACCOUNT.group || plural !== CLOUD_ACCOUNT.plural) return route;
    return { kind: route.kind, api: this.guarded(route.api) };
  }

  private guarded(api: ResourceApi): ResourceApi {
    return withMethods(api, {
      remove: async (ref, options, context) => {
        // What there is not is for its own service to say.
        await api.get(ref, context);
        await this.requireUnused(ref.namespace, ref.name);
        return api.remove(ref, options, context).finally(() => this.onRemoval(ref.name, ref.namespace));
      },
      removeCollection: async (type, list, options, context) => {
        const { items } = await api.list(type, list, context);
        for (const { metadata } of items) await this.requireUnused(metadata.namespace, metadata.name);
        const removed = api.removeCollection(type, list, options, context);
        return removed.finally(() => this.onRemoval(undefined, list.namespace));
      },
    });
  }

  private async requireUnused(namespace: string | undefined, name: string): Promise<void> {
    const users = await this.clusters.list({
      ...(namespace === undefined ? {} : { namespace }),
      fieldSelector: `spec.accountRef.name=${name}`,
      limit: SHOWN,
    });
    if (users.length === 0) return;
    const names = users.map(({ metadata }) => metadata.name);
    const { group, plural } = CLOUD_ACCOUNT;
    const more = names.length === SHOWN ? ' and maybe others' : '';
    const remedy = 'Delete them first, or wait until they are gone';
    const text = `CloudAccount "${name}" is in use by these Clusters: ${names.join(', ')}${more}. ${remedy}`;
    const causes = names.map((user) => ({ reason: 'InUse', field: 'metadata.name', message: `cluster/${user}` }));
    const details = { group, kind: plural, name, reason: 'InUse', remedy, causes };
    throw new PlatformError('Conflict', text, { retry: 'never', details });
  }
}
