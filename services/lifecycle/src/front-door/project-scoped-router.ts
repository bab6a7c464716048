import type { KubeObjectInput, Project } from '@crate/api';
import { notFound } from '@crate/errors';
import {
  ResourceRouter,
  type CallContext,
  type KindInfo,
  type ResourceApi,
  type Route,
  type TypedClient,
  type WriteOptions,
  type ResourceType,
  type PatchOptions,
  type ResourceRef,
} from '@crate/resource-client';

/**
 * Lets objects come into being only in Projects that exist, whichever service owns their kind:
 * the front door is the one place that sees every create.
 */
export class ProjectScopedRouter extends ResourceRouter {
  constructor(
    private readonly inner: ResourceRouter,
    private readonly projects: TypedClient<Project>,
    /** The Project is known, and whoever owns the kind makes sure that it still exists. */
    private readonly isSeenTo: (kind: KindInfo, project: string) => boolean = () => false,
  ) {
    super();
  }

  kinds(): readonly KindInfo[] {
    return this.inner.kinds();
  }

  find(group: string, version: string, plural: string): Route | undefined {
    const route = this.inner.find(group, version, plural);
    if (!route?.kind.namespaced) return route;
    return { kind: route.kind, api: this.guard(route) };
  }

  private guard({ kind, api }: Route): ResourceApi {
    const requireProject = (namespace: string | undefined): Promise<void> => this.requireProject(kind, namespace);
    return new Proxy(api, {
      get(target, property, receiver) {
        if (property === 'create') {
          return async (type: ResourceType, object: KubeObjectInput, options: WriteOptions, context: CallContext) => {
            await requireProject(object.metadata.namespace);
            return target.create(type, object, options, context);
          };
        }
        if (property === 'patch') {
          return async (ref: ResourceRef, patch: unknown, options: PatchOptions, context: CallContext) => {
            if (options.type === 'apply') await requireProject(ref.namespace);
            return target.patch(ref, patch, options, context);
          };
        }
        const value: unknown = Reflect.get(target, property, receiver);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  private async requireProject(kind: KindInfo, namespace: string | undefined): Promise<void> {
    if (namespace === undefined || this.isSeenTo(kind, namespace)) return;
    if ((await this.projects.find(namespace)) === undefined) {
      throw notFound('projects', namespace, 'lifecycle.crate.dev');
    }
  }
}
