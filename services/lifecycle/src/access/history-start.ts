import type { Project } from '@crate/api';
import { notFound } from '@crate/errors';
import type { Caller, TypedClient } from '@crate/resource-client';
import { isPlatformAdmin } from './caller-role.js';

/**
 * Since when a caller may read what has happened in a namespace; undefined: since ever. History outlives its Project, and whoever gets
 * its name next must not read that of others. Throws NotFound for a Project that is gone.
 */
export type HistoryStart = (caller: Caller, namespace: string | undefined) => Promise<Date | undefined>;

/** By what there is of Projects. */
export function historyStart(projects: Pick<TypedClient<Project>, 'find'>): HistoryStart {
  return async (caller, namespace) => {
    if (namespace === undefined || isPlatformAdmin(caller)) return undefined;
    const project = await projects.find(namespace);
    if (!project) throw notFound('projects', namespace, 'lifecycle.crate.dev');
    return new Date(project.metadata.creationTimestamp);
  };
}
