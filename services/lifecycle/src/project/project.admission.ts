import { CLUSTER, PLAN, type KubeObject } from '@crate/api';
import { invalidSpec, PlatformError } from '@crate/errors';
import { CLUSTER_SCOPED_NAMESPACE } from '@crate/events';
import type { AdmissionHook } from '@crate/resource-server';
import { digestOf } from '@crate/resource-store';

/** Counts what a Project still holds, over every service that can be reached. */
export abstract class ProjectContents {
  /** Objects in the namespace as `kind/name`, at most `limit`. Throws Unavailable when an owner does not answer. */
  abstract list(namespace: string, limit: number): Promise<readonly string[]>;
}

const SHOWN = 20;
/** What is stored where Projects are. */
const OWN = [CLUSTER, PLAN];

/**
 * Refuses to make a Project whose members would read the events of the platform itself, and to delete one while anything is in it, and lists
 * what that is. What finalizers held is judged again when the last
 * of them is taken off: that ends it.
 */
export function projectAdmission(contents: ProjectContents): AdmissionHook {
  return async (request) => {
    if (request.operation === 'CREATE') refuseReserved(request.object.metadata.name);
    if (request.operation !== 'DELETE' && !isLetGo(request.object)) return undefined;
    const { name } = request.object.metadata;
    const left = await contents.list(name, SHOWN);
    // What comes into being meanwhile counts, too.
    const guards = OWN.map(({ group, kind }) => ({ group, kind, namespace: name, digest: digestOf([]) }));
    if (left.length === 0) return { guards };
    const message = `Project "${name}" still holds ${left.join(', ')}; delete them first`;
    throw new PlatformError('Conflict', message, {
      retry: 'never',
      details: {
        kind: 'projects',
        name,
        reason: 'ProjectNotEmpty',
        causes: left.map((held) => ({ reason: 'InUse', field: 'metadata.name', message: held })),
      },
    });
  };
}

function refuseReserved(name: string): void {
  if (name !== CLUSTER_SCOPED_NAMESPACE) return;
  const message = 'is where events about the platform are kept, which members of a Project of that name would read';
  throw invalidSpec(
    `Project "${name}" is invalid: metadata.name ${message}`,
    [{ reason: 'FieldValueForbidden', message, field: 'metadata.name' }],
    { kind: 'Project', name, remedy: 'Choose another name' },
  );
}

/** To be deleted, and held by nobody any more. */
export function isLetGo({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}
