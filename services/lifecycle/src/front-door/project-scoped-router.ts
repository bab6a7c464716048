import type { Project } from '@crate/api';
import { hasCode, notFound } from '@crate/errors';
import {
  ResourceRouter,
  type CallContext,
  type KindInfo,
  type ResourceApi,
  type ResourceRef,
  type Route,
  type TypedClient,
  type WriteResult,
  withMethods,
} from '@crate/resource-client';
import { isTerminating, projectTerminating } from '../project/project-terminating.js';

/**
 * Lets objects come into being only in Projects that exist and are to stay, whichever service owns their kind:
 * the front door is the one place that sees every create.
 */
export class ProjectScopedRouter extends ResourceRouter {
  constructor(
    private readonly inner: ResourceRouter,
    private readonly projects: Pick<TypedClient<Project>, 'find'>,
    /** Takes back what has come too late. */
    private readonly context: CallContext,
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

  private guard(route: Route): ResourceApi {
    const within: Within = (ref, write, isKnown) => this.within(route, ref, write, isKnown);
    const { api } = route;
    return withMethods(api, {
      create: async (type, object, options, context) => {
        const { name = '', namespace } = object.metadata;
        const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
        return within(ref, () => api.create(type, object, options, context), neverThere);
      },
      patch: async (ref, patch, options, context) => {
        const write = (): Promise<WriteResult> => api.patch(ref, patch, options, context);
        return options.type === 'apply' ? within(ref, write, () => isThere(api, ref, context)) : write();
      },
    });
  }

  /** Looks again once the object is stored: a Project that was deleted meanwhile was found empty, and has no place for it. */
  private async within(
    route: Route,
    { name, namespace }: ResourceRef,
    write: () => Promise<WriteResult>,
    isKnown: () => Promise<boolean>,
  ): Promise<WriteResult> {
    if (namespace === undefined || this.isSeenTo(route.kind, namespace)) return write();
    const project = await this.projects.find(namespace);
    if (!project) throw missing(namespace);
    if (isTerminating(project) && !(await isKnown())) throw projectTerminating(route.kind, name, namespace);
    const written = await write();
    if (!written.created) return written;
    const now = await this.projects.find(namespace);
    const isSame = now?.metadata.uid === project.metadata.uid;
    if (now && isSame && !isTerminating(now)) return written;
    await this.takeBack(route, written);
    throw isSame ? projectTerminating(route.kind, written.object.metadata.name, namespace) : missing(namespace);
  }

  /** By its uid: a dry run has stored nothing, and another object of that name is none of this. */
  private async takeBack({ kind, api }: Route, { object: { metadata } }: WriteResult): Promise<void> {
    const { group, version, plural } = kind;
    const { name, namespace = '', uid } = metadata;
    try {
      await api.remove({ group, version, plural, name, namespace }, { preconditions: { uid } }, this.context);
    } catch (error) {
      if (!hasCode(error, 'NotFound', 'Conflict')) throw error;
    }
  }
}

type Within = (
  ref: ResourceRef,
  write: () => Promise<WriteResult>,
  isKnown: () => Promise<boolean>,
) => Promise<WriteResult>;

const neverThere = (): Promise<boolean> => Promise.resolve(false);

/** What is there may still be changed, by an apply, too. */
async function isThere(api: ResourceApi, ref: ResourceRef, context: CallContext): Promise<boolean> {
  try {
    await api.get(ref, context);
    return true;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return false;
    throw error;
  }
}

function missing(project: string): Error {
  return notFound('projects', project, 'lifecycle.crate.dev');
}
