import { isDeepStrictEqual } from 'node:util';
import { CLUSTER, type AddOn, type CloudAccount, type Cluster, type Infrastructure } from '@crate/api';
import { invalidSpec, type ErrorCause } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import { valueAt, type AdmissionHook, type AdmissionRequest } from '@crate/resource-server';
import { isTakenBack } from '../plan/approved-plan.js';
import { addOnCauses } from './cluster.add-ons.js';
import { cause } from './cluster.cause.js';
import { forbiddenCluster } from './cluster.forbidden.js';
import { IMMUTABLE_FIELDS } from './cluster.immutable.js';
import { loadBalancerPortCauses, loadBalancerPortWarnings } from './cluster.load-balancer-ports.js';
import { machineChangeCauses } from './cluster.machine-changes.js';
import { nameCauses } from './cluster.names.js';
import { nodeMarkCauses } from './cluster.node-marks.js';
import { regionCauses } from './cluster.regions.js';
import { CONTROL_PLANE_GROUP } from './cluster.nodes.js';
import { sizeCauses } from './cluster.size.js';
import { addOnReferences, type References } from './cluster.references.js';
import { versionCauses, versionWarnings } from './cluster.versions.js';
import { isGoing, judge, judgeDeletion, type VerdictPorts } from './cluster.verdict.js';

/** What admission needs to look at. */
export interface ClusterAdmissionPorts extends VerdictPorts {
  readonly accounts: References<CloudAccount>;
  readonly catalogue: TypedClient<AddOn>;
  readonly infrastructures: Pick<TypedClient<Infrastructure>, 'find'>;
}

/**
 * Refuses a cluster whose references lead nowhere (422, one cause per field), whose account is being deleted or that breaks a `must` rule
 * (403), and a deletion that one forbids; broken `should` and `may` rules become warnings. What changes neither spec nor labels is not
 * judged again, and neither is what is being deleted.
 */
export function clusterAdmission(ports: ClusterAdmissionPorts): AdmissionHook {
  const addOnsOf = addOnReferences(ports.catalogue);
  return async (request) => {
    if (request.operation === 'DELETE') return judgeDeletion(request, ports);
    const { object, oldObject } = request;
    if (isSame(object['spec'], oldObject?.['spec'])) return isRelabelled(request) ? judge(request, ports) : undefined;
    const cluster = object as Cluster;
    const old = oldObject as Cluster | undefined;
    const { accountRef } = cluster.spec;
    // Nothing of a spec that is taken back was carried out, so what ran before goes on, whatever the world has against it by now.
    const isBack = old !== undefined && isTakenBack(old, object, request.context.caller.service);
    const account =
      accountRef && !isBack ? ports.accounts.find(accountRef.name, cluster.metadata.namespace) : undefined;
    // Asked at the same time: each takes a way to another service and back.
    const [ofWorld, verdict] = await Promise.all([
      isBack ? [] : worldCauses(cluster, old, { ...ports, account, catalogue: addOnsOf(request.attempt) }),
      outcomeOf(judge(request, ports, account)),
    ]);
    const own = [
      ...poolCauses(cluster),
      ...nodeMarkCauses(cluster, old),
      ...nameCauses(cluster, old),
      ...regionCauses(cluster, old),
      ...immutableCauses(cluster, old),
    ];
    const causes = [...own, ...ofWorld];
    // What is wrong with the document itself comes first, also when policies cannot be asked.
    if (causes.length > 0) throw refuse(cluster, causes);
    const leaving = leavingCauses(cluster, await account);
    if (leaving.length > 0) throw forbiddenCluster(cluster.metadata.name, leaving);
    const { warnings = [], ...rest } = await verdict();
    return { ...rest, warnings: [...versionWarnings(cluster), ...loadBalancerPortWarnings(cluster), ...warnings] };
  };
}

/** Waits for the end and leaves success or failure to whoever asks for it. */
async function outcomeOf<T>(work: Promise<T>): Promise<() => Promise<T>> {
  await work.catch(() => undefined);
  return () => work;
}

function isRelabelled({ object, oldObject }: AdmissionRequest): boolean {
  return !isSame(object.metadata.labels ?? {}, oldObject?.metadata.labels ?? {});
}

function isSame(now: unknown, before: unknown): boolean {
  return isDeepStrictEqual(now, before);
}

function poolCauses(cluster: Cluster): ErrorCause[] {
  return cluster.spec.nodePools.flatMap((pool, index) =>
    pool.name === CONTROL_PLANE_GROUP
      ? [cause(`spec.nodePools[${index}].name`, pool.name, `must not be "${CONTROL_PLANE_GROUP}", which is taken`)]
      : [],
  );
}

/** What the world as it is now has against a cluster: its machines, account and add-ons. */
async function worldCauses(
  cluster: Cluster,
  old: Cluster | undefined,
  { account, accounts, catalogue, infrastructures, providers }: World,
): Promise<ErrorCause[]> {
  const causes = await Promise.all([
    machineCauses(cluster, old, infrastructures),
    accountCauses(cluster, account, accounts),
    // Who does not answer is told of by the verdict, which asks the same.
    addOnCauses(cluster, old, { catalogue, provider: () => providers.of(cluster, account).catch(() => undefined) }),
  ]);
  return causes.flat();
}

interface World extends Omit<ClusterAdmissionPorts, 'catalogue'> {
  readonly account: Promise<CloudAccount | undefined> | undefined;
  readonly catalogue: References<AddOn>;
}

async function machineCauses(
  cluster: Cluster,
  old: Cluster | undefined,
  infrastructures: ClusterAdmissionPorts['infrastructures'],
): Promise<ErrorCause[]> {
  const { name, namespace } = cluster.metadata;
  const ofChange = await machineChangeCauses(cluster, old, () => infrastructures.find(name, namespace));
  const ofSpec = [versionCauses, sizeCauses, loadBalancerPortCauses].flatMap((causesOf) => causesOf(cluster, old));
  return [...ofSpec, ...ofChange];
}

function immutableCauses(cluster: Cluster, old: Cluster | undefined): ErrorCause[] {
  if (!old) return [];
  return IMMUTABLE_FIELDS.map((field) => `spec.${field}`).flatMap((field) => {
    const [now, before] = [valueAt(cluster, field.split('.')), valueAt(old, field.split('.'))];
    return now === before ? [] : [cause(field, now, `is immutable, it was ${JSON.stringify(before)}`)];
  });
}

async function accountCauses(
  cluster: Cluster,
  looking: Promise<CloudAccount | undefined> | undefined,
  accounts: References<CloudAccount>,
): Promise<ErrorCause[]> {
  const { accountRef } = cluster.spec;
  if (accountRef === undefined) return [];
  const { name } = accountRef;
  if (await looking) return [];
  const known = (await accounts.list({ namespace: cluster.metadata.namespace ?? '' })).map((a) => a.metadata.name);
  const hint = known.length > 0 ? `known: ${known.sort().join(', ')}` : 'the Project has none yet';
  return [cause('spec.accountRef.name', name, `must name a CloudAccount of the same Project; ${hint}`)];
}

/** An account on its way out takes no cluster, which says nothing against the document. */
function leavingCauses(cluster: Cluster, account: CloudAccount | undefined): ErrorCause[] {
  if (!account || !isGoing(account)) return [];
  return [cause('spec.accountRef.name', account.metadata.name, 'is being deleted')];
}

function refuse(cluster: Cluster, causes: readonly ErrorCause[]): Error {
  const { name } = cluster.metadata;
  const text = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  const details = { kind: CLUSTER.kind, group: CLUSTER.group, name };
  return invalidSpec(`${CLUSTER.kind}.${CLUSTER.group} "${name}" is invalid: ${text}`, causes, details);
}
