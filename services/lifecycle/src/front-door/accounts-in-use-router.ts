import { CLOUD_ACCOUNT, type Cluster } from '@crate/api';
import { PlatformError } from '@crate/errors';
import {
  ResourceRouter,
  type CallContext,
  type DeleteOptions,
  type KindInfo,
  type ListOptions,
  type ResourceApi,
  type ResourceRef,
  type ResourceType,
  type Route,
  type TypedClient,
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
    const requireUnused = (namespace: string | undefined, name: string): Promise<void> =>
      this.requireUnused(namespace, name);
    const { onRemoval } = this;
    return new Proxy(api, {
      get(target, property, receiver) {
        if (property === 'remove') {
          return async (ref: ResourceRef, options: DeleteOptions, context: CallContext) => {
            // What there is not is for its own service to say.
            await target.get(ref, context);
            await requireUnused(ref.namespace, ref.name);
            return target.remove(ref, options, context).finally(() => onRemoval(ref.name, ref.namespace));
          };
        }
        if (property === 'removeCollection') {
          return async (type: ResourceType, list: ListOptions, options: DeleteOptions, context: CallContext) => {
            const { items } = await target.list(type, list, context);
            for (const { metadata } of items) await requireUnused(metadata.namespace, metadata.name);
            const removed = target.removeCollection(type, list, options, context);
            return removed.finally(() => onRemoval(undefined, list.namespace));
          };
        }
        const value: unknown = Reflect.get(target, property, receiver);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
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
