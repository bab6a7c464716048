import { parseApiVersion, PROJECT, type OwnerReference } from '@crate/api';
import { hasCode } from '@crate/errors';
import {
  ResourceRouter,
  type CallContext,
  type KindInfo,
  type ResourceApi,
  type ResourceRef,
  type Route,
  withMethods,
} from '@crate/resource-client';
import { invalidObject } from '@crate/resource-server';
import { statedOwners } from './stated-owners.js';

type Owner = Partial<OwnerReference>;

/**
 * Refuses references to owners outside the Project of an object, in the same words whether or not there is such an object:
 * nobody may tie what is theirs to what they cannot see. Allowed is what is in the same namespace, and the Project itself.
 */
export class OwnersInProjectRouter extends ResourceRouter {
  constructor(
    private readonly inner: ResourceRouter,
    /** Looks owners up. */
    private readonly context: CallContext,
  ) {
    super();
  }

  kinds(): readonly KindInfo[] {
    return this.inner.kinds();
  }

  find(group: string, version: string, plural: string): Route | undefined {
    const route = this.inner.find(group, version, plural);
    return route && { kind: route.kind, api: this.guarded(route) };
  }

  private guarded(route: Route): ResourceApi {
    const { api } = route;
    return withMethods(api, {
      create: async (type, object, options, context) => {
        const { name = '', namespace } = object.metadata ?? {};
        await this.check(route, { ...type, name, ...(namespace === undefined ? {} : { namespace }) }, object);
        return api.create(type, object, options, context);
      },
      update: async (ref, object, options, context) => {
        await this.check(route, ref, object);
        return api.update(ref, object, options, context);
      },
      patch: async (ref, patch, options, context) => {
        await this.check(route, ref, patch);
        return api.patch(ref, patch, options, context);
      },
    });
  }

  private async check(route: Route, ref: ResourceRef, body: unknown): Promise<void> {
    const owners = statedOwners(body) as readonly Owner[];
    if (owners.length === 0) return;
    const foreign = [];
    for (const owner of owners) if (!(await this.isInProject(owner, ref.namespace))) foreign.push(owner);
    if (foreign.length === 0 || (await this.areOwnersAlready(route, ref, foreign))) return;
    const detail = 'must be an object of the same Project, by its apiVersion, kind, name and uid';
    throw invalidObject(route.kind, ref.name, [
      { path: ['metadata', 'ownerReferences'], reason: 'FieldValueInvalid', detail },
    ]);
  }

  private async isInProject({ apiVersion, kind, name, uid }: Owner, namespace: string | undefined): Promise<boolean> {
    if (typeof apiVersion !== 'string' || typeof name !== 'string' || namespace === undefined) return false;
    const { group, version } = parseApiVersion(apiVersion);
    const found = this.inner
      .kinds()
      .find((each) => each.group === group && each.version === version && each.kind === kind);
    const isOwnProject = group === PROJECT.group && kind === PROJECT.kind && name === namespace;
    if (!found || (!found.namespaced && !isOwnProject)) return false;
    const scope = found.namespaced ? { namespace } : {};
    return (await this.uidOf({ group, version, plural: found.plural, name, ...scope })) === uid;
  }

  private async uidOf(ref: ResourceRef): Promise<string | undefined> {
    try {
      const owner = await this.inner.find(ref.group, ref.version, ref.plural)?.api.get(ref, this.context);
      return owner?.metadata.uid;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Whoever sends back what they read changes nothing, even if the owner is gone by now. */
  private async areOwnersAlready({ api }: Route, ref: ResourceRef, owners: readonly Owner[]): Promise<boolean> {
    try {
      const { metadata } = await api.get(ref, this.context);
      const uids = new Set((metadata.ownerReferences ?? []).map(({ uid }) => uid));
      return owners.every(({ uid }) => uid !== undefined && uids.has(uid));
    } catch (error) {
      if (hasCode(error, 'NotFound', 'BadRequest')) return false;
      throw error;
    }
  }
}
