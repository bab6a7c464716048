import { isDeepStrictEqual } from 'node:util';
import type { Cluster, ClusterClass } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import {
  jsonEqual,
  toCause,
  type AdmissionHook,
  type AdmissionRequest,
  type AdmissionResult,
  type FieldError,
} from '@crate/resource-server';
import { checkClass } from './class-check.js';
import { CompiledClass } from './class-content.js';
import { contentOf } from './class-revisions.js';
import { changesText, type ClassPreview, type ClassState } from './class-state.js';
import { below, invalidClass } from './cluster-class.errors.js';

export interface ClassAdmissionPorts {
  readonly clusters: TypedClient<Cluster>;
  readonly preview: ClassPreview;
}

const SHOWN_USERS = 20;
const SHOWN_CLUSTERS = 10;
const SHOWN_CHANGES = 3;

/** Of a revision that is not stored yet: newer than all there are. */
const UNNUMBERED = Number.MAX_SAFE_INTEGER;

/**
 * Refuses a class that no cluster could be made of (422, one cause per field), and to delete one that is in use (409,
 * naming who uses it). What was taken once and would be refused now, as a version of Kubernetes that was given up, may stay as it is. A change of a class in use warns of what it would bring to which cluster, also in a dry run.
 */
export function classAdmission(ports: ClassAdmissionPorts): AdmissionHook {
  return async (request) => {
    if (request.operation === 'DELETE') return refuseInUse(request, ports);
    const owner = request.object as ClusterClass;
    const old = request.oldObject as ClusterClass | undefined;
    const isSame = old && jsonEqual(contentOf(owner.spec), contentOf(old.spec));
    if (isSame) return undefined;
    const kept = keptMistakes(owner, old);
    const { warnings = [] } = old ? await foretell(owner, ports) : {};
    return { warnings: [...kept, ...warnings] };
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

/** What a write would bring to the clusters of a class. */
async function foretell(owner: ClusterClass, { clusters, preview }: ClassAdmissionPorts): Promise<AdmissionResult> {
  const users = await clusters.list(usersOf(owner));
  if (users.length === 0) return {};
  const { compiled } = CompiledClass.of(contentOf(owner.spec));
  const states = await preview.statesUnder(users, { compiled, revision: UNNUMBERED });
  const concerned = states.filter(({ state }) => concerns(state));
  const lines = concerned
    .slice(0, SHOWN_CLUSTERS)
    .map(({ cluster, state }) => `${nameOf(cluster)}: ${stateText(state)}`);
  const rest = concerned.length - lines.length;
  const { strategy, paused } = owner.spec.rollout;
  const how =
    strategy === 'Automatic' && !paused ? 'they are moved a few at a time' : 'none is moved before it is told to';
  const summary = `This changes ${concerned.length} of ${users.length} clusters of the class; ${how}`;
  return { warnings: [summary, ...lines, ...(rest > 0 ? [`and ${rest} more clusters`] : [])] };
}

function concerns({ changes, notApplicable, refusal }: ClassState): boolean {
  return changes.length > 0 || notApplicable.length > 0 || refusal !== undefined;
}

function stateText({ changes, notApplicable, refusal }: ClassState): string {
  const parts = [
    ...(refusal === undefined ? [] : [`would be refused: ${refusal}`]),
    ...(changes.length > 0 ? [changesText(changes, SHOWN_CHANGES)] : []),
    ...(notApplicable.length > 0
      ? [`not applicable to a cluster that exists: ${changesText(notApplicable, SHOWN_CHANGES)}`]
      : []),
  ];
  return parts.join('; ');
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
