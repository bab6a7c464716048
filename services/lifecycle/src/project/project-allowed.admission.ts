import { isAllowed, isExisting, PROJECT, type Cluster, type Project } from '@crate/api';
import { notFound } from '@crate/errors';
import { toCause, type AdmissionHook, type FieldError, type FieldPath } from '@crate/resource-server';
import { forbiddenCluster } from '../cluster/cluster.forbidden.js';
import { machineTypesOf } from '../cluster/cluster.machine-types.js';
import { isTakenBack } from '../plan/approved-plan.js';
import type { ProjectOfWrite } from './project-of-write.js';

type Allowed = Project['spec']['allowed'];

/** A value of the cluster that a list of the Project may leave out. */
interface Choice {
  readonly list: keyof Allowed;
  readonly path: FieldPath;
  /** Undefined: the cluster makes no choice. */
  readonly value: string | undefined;
}

/**
 * Refuses clusters that use what their Project does not allow (403: field, value, what is allowed). What a cluster used before,
 * or has back from a plan that was not carried out, stays its own, so that a list made shorter stops no cluster that exists.
 */
export function allowedAdmission(projects: ProjectOfWrite): AdmissionHook {
  return async (request) => {
    const { operation, object, oldObject, context } = request;
    if (operation === 'DELETE' || (oldObject && isTakenBack(oldObject, object, context.caller.service))) return;
    const cluster = object as Cluster;
    const known = new Set(oldObject ? choicesOf(oldObject as Cluster).map(textOf) : []);
    const news = choicesOf(cluster).filter((choice) => !known.has(textOf(choice)));
    if (news.length === 0) return;
    const project = await projects.find(request);
    if (!project) throw notFound(PROJECT.plural, cluster.metadata.namespace ?? '', PROJECT.group);
    const errors = news.flatMap((choice) => errorOf(choice, project));
    if (errors.length > 0) throw forbiddenCluster(cluster.metadata.name, errors.map(toCause));
  };
}

function choicesOf({ spec }: Cluster): readonly Choice[] {
  if (isExisting({ spec })) return [];
  return [
    { list: 'accounts', path: ['spec', 'accountRef', 'name'], value: spec.accountRef?.name },
    { list: 'regions', path: ['spec', 'region'], value: spec.region },
    { list: 'classes', path: ['spec', 'classRef', 'name'], value: spec.classRef?.name },
    ...machineTypesOf(spec).map(({ path, type }) => ({ list: 'machineTypes' as const, path, value: type })),
  ];
}

function textOf({ list, value }: Choice): string {
  return JSON.stringify([list, value ?? null]);
}

function errorOf({ list, path, value }: Choice, { metadata, spec }: Project): readonly FieldError[] {
  const entries = spec.allowed[list];
  if (entries === undefined || (value !== undefined && isAllowed(value, entries))) return [];
  const shown = entries.length > 0 ? entries.map((entry) => JSON.stringify(entry)).join(', ') : 'none';
  const detail = `Project "${metadata.name}" allows: ${shown}`;
  return [
    value === undefined
      ? { path, reason: 'FieldValueRequired', detail }
      : { path, value, reason: 'FieldValueNotSupported', detail },
  ];
}
