import { isDeepStrictEqual } from 'node:util';
import type { AddOn, CloudAccount, Cluster, KubeObject } from '@crate/api';
import { hasCode, invalidSpec, isPlatformError, type ErrorCause } from '@crate/errors';
import type { PolicyReviewer } from '@crate/messaging';
import type { TypedClient } from '@crate/resource-client';
import { valueAt, type AdmissionHook } from '@crate/resource-server';
import { findNeededAddOns } from '../add-on/add-on.needed.js';
import { installationOrder } from '../add-on/add-on.order.js';
import { IMMUTABLE_FIELDS } from './cluster.immutable.js';
import { CONTROL_PLANE_GROUP } from './cluster.nodes.js';
import { clusterReview, denialOf } from './cluster.policy.js';

/** What admission needs to look at. */
export interface ClusterAdmissionPorts {
  readonly accounts: TypedClient<CloudAccount>;
  readonly catalogue: TypedClient<AddOn>;
  readonly policies: PolicyReviewer;
}

/**
 * Refuses a cluster whose references lead nowhere (422, one cause per field) or that breaks a `must` rule (403);
 * broken `should` and `may` rules become warnings. Status and metadata-only writes are not judged again.
 */
export function clusterAdmission(ports: ClusterAdmissionPorts): AdmissionHook {
  return async (request) => {
    if (request.operation === 'DELETE' || isSpecUnchanged(request.object, request.oldObject)) return undefined;
    const cluster = request.object as Cluster;
    const { traceId, caller } = request.context;
    // Asked at the same time: each takes a way to another service and back.
    const [account, addOns, verdict] = await Promise.all([
      accountCauses(cluster, ports.accounts),
      addOnCauses(cluster, ports.catalogue),
      outcomeOf(ports.policies.review(clusterReview(cluster), { traceId, caller })),
    ]);
    const own = [...poolCauses(cluster), ...immutableCauses(cluster, request.oldObject as Cluster | undefined)];
    const causes = [...own, ...account, ...addOns];
    // What is wrong with the document itself comes first, also when policies cannot be asked.
    if (causes.length > 0) throw refuse(cluster, causes);

    const review = await verdict();
    const denial = denialOf(cluster, review);
    if (denial) throw denial;
    const warnings = review.violations.map(
      ({ policy, level, field, message, remedy }) => `${level} (${policy}): ${field}: ${message}. ${remedy}`,
    );
    return { warnings };
  };
}

/** Waits for the end and leaves success or failure to whoever asks for it. */
async function outcomeOf<T>(work: Promise<T>): Promise<() => Promise<T>> {
  await work.catch(() => undefined);
  return () => work;
}

function isSpecUnchanged(object: KubeObject | undefined, old: KubeObject | undefined): boolean {
  return old !== undefined && isDeepStrictEqual(object?.['spec'], old['spec']);
}

function poolCauses(cluster: Cluster): ErrorCause[] {
  return cluster.spec.nodePools.flatMap((pool, index) =>
    pool.name === CONTROL_PLANE_GROUP
      ? [cause(`spec.nodePools[${index}].name`, pool.name, `must not be "${CONTROL_PLANE_GROUP}", which is taken`)]
      : [],
  );
}

function immutableCauses(cluster: Cluster, old: Cluster | undefined): ErrorCause[] {
  if (!old) return [];
  return IMMUTABLE_FIELDS.map((field) => `spec.${field}`).flatMap((field) => {
    const [now, before] = [valueAt(cluster, field.split('.')), valueAt(old, field.split('.'))];
    return now === before ? [] : [cause(field, now, `is immutable, it was ${JSON.stringify(before)}`)];
  });
}

async function accountCauses(cluster: Cluster, accounts: TypedClient<CloudAccount>): Promise<ErrorCause[]> {
  const { name } = cluster.spec.accountRef;
  const account = await accounts.find(name, cluster.metadata.namespace);
  if (account) return isGoing(account) ? [cause('spec.accountRef.name', name, 'is being deleted')] : [];
  const known = (await accounts.list({ namespace: cluster.metadata.namespace ?? '' })).map((a) => a.metadata.name);
  const hint = known.length > 0 ? `known: ${known.sort().join(', ')}` : 'the Project has none yet';
  return [cause('spec.accountRef.name', name, `must name a CloudAccount of the same Project; ${hint}`)];
}

function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

async function addOnCauses(cluster: Cluster, catalogue: TypedClient<AddOn>): Promise<ErrorCause[]> {
  const asked = cluster.spec.addOns.map((addOn) => addOn.name);
  const known = await findNeededAddOns(asked, catalogue);
  const unknown = cluster.spec.addOns.flatMap(({ name }, index) =>
    known.has(name)
      ? []
      : [
          cause(
            `spec.addOns[${index}].name`,
            name,
            `must be in the catalogue: ${[...known.keys()].sort().join(', ') || 'none'}`,
          ),
        ],
  );
  if (unknown.length > 0) return unknown;
  try {
    installationOrder(asked, known);
    return [];
  } catch (error) {
    if (isPlatformError(error) && hasCode(error, 'InvalidSpec')) return [...(error.details.causes ?? [])];
    throw error;
  }
}

function cause(field: string, given: unknown, message: string): ErrorCause {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(given)}: ${message}` };
}

function refuse(cluster: Cluster, causes: readonly ErrorCause[]): Error {
  const { name } = cluster.metadata;
  const text = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  const details = { kind: 'Cluster', group: 'lifecycle.crate.dev', name };
  return invalidSpec(`Cluster.lifecycle.crate.dev "${name}" is invalid: ${text}`, causes, details);
}
