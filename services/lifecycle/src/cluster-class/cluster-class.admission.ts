import { isDeepStrictEqual } from 'node:util';
import type { Cluster, ClusterClass } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import { jsonEqual, toCause, type AdmissionHook, type AdmissionRequest, type FieldError } from '@crate/resource-server';
import { isLetGo } from '../project/project.admission.js';
import { checkClass } from './class-check.js';
import { CompiledClass } from './class-content.js';
import { forecast } from './class-forecast.js';
import { contentOf } from './class-revisions.js';
import { movesByItself } from './class-rollout.js';
import type { ClassPreview } from './class-state.js';
import { below, invalidClass } from './cluster-class.errors.js';

export interface ClassAdmissionPorts {
  readonly clusters: TypedClient<Cluster>;
  readonly preview: ClassPreview;
}

const SHOWN_USERS = 20;

/** Of a revision that is not stored yet: newer than all there are. */
const UNNUMBERED = Number.MAX_SAFE_INTEGER;

/**
 * Refuses a class that no cluster could be made of (422, one cause per field), and to delete one that is in use (409,
 * naming who uses it), also when the last finalizer is taken off one that was held. What was taken once and would be refused now, as a version of Kubernetes that was given up, may stay as it is.
 * A change of a class in use warns of what it would bring to which cluster, also in a dry run, and so does one that lets its rollout go on.
 */
export function classAdmission(ports: ClassAdmissionPorts): AdmissionHook {
  return async (request) => {
    if (request.operation === 'DELETE' || isLetGo(request.object)) return refuseInUse(request, ports);
    const owner = request.object as ClusterClass;
    const old = request.oldObject as ClusterClass | undefined;
    const isSame = old && jsonEqual(contentOf(owner.spec), contentOf(old.spec));
    const kept = isSame ? [] : keptMistakes(owner, old);
    return { warnings: [...kept, ...(old ? await foretold(owner, old, ports) : [])] };
  };
}

/** What is wrong with the class and was before. Throws InvalidSpec naming everything else that is wrong. */
function keptMistakes(owner: ClusterClass, old: ClusterClass | undefined): readonly string[] {
  const errors = below(['spec'], checkClass(contentOf(owner.spec)));
  const before = old && errors.length > 0 ? below(['spec'], checkClass(contentOf(old.spec))) : [];
  const isKept = (error: FieldError): boolean => before.some((known) => isSameMistake(known, error));
  const added = errors.filter((error) => !isKept(error));
  if (added.length > 0) throw invalidClass(owner, added);
  return errors.map(toCause).map(({ field, message }) => `${field}: ${message}; it stays as it was`);
}

function isSameMistake(one: FieldError, other: FieldError): boolean {
  const [a, b] = [one, other].map(({ path, value, reason }) => ({ path, value, reason }));
  return isDeepStrictEqual(a, b);
}

/** What a write would bring to the clusters of a class; a change of the rollout alone, when it lets them move. */
async function foretold(
  owner: ClusterClass,
  old: ClusterClass,
  { clusters, preview }: ClassAdmissionPorts,
): Promise<readonly string[]> {
  const isNew = !jsonEqual(contentOf(owner.spec), contentOf(old.spec));
  if (!isNew && (!movesByItself(owner) || jsonEqual(owner.spec.rollout, old.spec.rollout))) return [];
  const users = await clusters.list(usersOf(owner));
  if (users.length === 0) return [];
  const target = isNew
    ? { compiled: CompiledClass.of(contentOf(owner.spec)).compiled, revision: UNNUMBERED }
    : await preview.newest(owner);
  const warnings = forecast(owner, await preview.statesUnder(users, target));
  return isNew || warnings.length > 1 ? warnings : [];
}

async function refuseInUse({ object }: AdmissionRequest, { clusters }: ClassAdmissionPorts): Promise<undefined> {
  const { name } = object.metadata;
  const users = (await clusters.list({ ...usersOf(object as ClusterClass), limit: SHOWN_USERS + 1 })).map(nameOf);
  if (users.length === 0) return undefined;
  const shown = users.slice(0, SHOWN_USERS);
  const text = shown.join(', ') + (users.length > shown.length ? ' and more' : '');
  throw new PlatformError(
    'Conflict',
    `ClusterClass "${name}" is in use by ${text}; give these clusters another class first`,
    {
      retry: 'never',
      details: {
        group: 'lifecycle.crate.dev',
        kind: 'clusterclasses',
        name,
        reason: 'ClassInUse',
        causes: shown.map((user) => ({ reason: 'InUse', field: 'spec.classRef.name', message: `cluster ${user}` })),
      },
    },
  );
}

/** Selects the clusters of a class, in all Projects. */
export function usersOf({ metadata }: Pick<ClusterClass, 'metadata'>): { readonly fieldSelector: string } {
  return { fieldSelector: `spec.classRef.name=${metadata.name}` };
}

function nameOf({ metadata }: Cluster): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
