import { randomBytes } from 'node:crypto';
import { isConditionTrue, type ClusterStatus } from '@crate/api';
import type { TargetCluster } from '@crate/kubernetes';
import { eventually } from '@crate/testing';

const API_VERSION = 'lifecycle.crate.dev/v1alpha1';
const OPTIONS = { fieldManager: 'fuzz', force: true };
/** A cluster with all its steps, on a machine that may be busy. */
const BUILT_WITHIN_MS = 600_000;

/** A Project with something in it that nobody else may ever see. */
export interface Tenant {
  readonly project: string;
  /** Name of the cluster that is never built: requests of others may try it. */
  readonly cluster: string;
  /** Never part of any request: seen in an answer to somebody else they have leaked. */
  readonly secrets: readonly string[];
  /** Of its cloud account: never shown to anybody again. */
  readonly credential: string;
  /** What its people can ask for, by collection as the document has it: also what belongs to nobody. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** What belongs to no Project, and a new platform has none of. */
export async function fillShared(api: TargetCluster): Promise<void> {
  const template = { kubernetes: { version: 'v1.31.4' }, controlPlane: { replicas: 1 } };
  await applier(api)({ apiVersion: API_VERSION, kind: 'ClusterClass', metadata: { name: 'kept' }, spec: { template } });
}

/** What a team is made from, before anything of it exists. */
export interface TenantSeed extends Omit<Tenant, 'secrets' | 'names'> {
  readonly built: string;
  readonly canary: string;
}

export function tenantSeed(project: string): TenantSeed {
  return {
    project,
    cluster: `known-${randomBytes(6).toString('hex')}`,
    built: `built-${randomBytes(6).toString('hex')}`,
    canary: `canary-${randomBytes(12).toString('hex')}`,
    credential: `credential-${randomBytes(12).toString('hex')}`,
  };
}

/** Asks for all that a team has; nothing is awaited but that it is accepted. */
export async function fill(api: TargetCluster, seed: TenantSeed, members: readonly object[]): Promise<void> {
  const { project, cluster, canary, credential } = seed;
  const apply = applier(api);
  await apply({
    ...{ apiVersion: API_VERSION, kind: 'Project', metadata: { name: project } },
    spec: { displayName: canary, members, quotas: { clusters: 40 } },
  });
  await apply({
    ...{ apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'CloudAccount' },
    metadata: { name: 'main', namespace: project, annotations: { canary } },
    spec: { provider: 'sandbox-aws', credentials: { accessKeyId: 'sandbox', secretAccessKey: credential } },
  });
  await apply(aCluster(seed, cluster, true));
  await apply(aCluster(seed, seed.built, false));
  for (const document of small(seed)) await apply(document);
}

/**
 * Waits until the team's cluster is there with all that belongs to it, and has it left alone from then on: what requests do to it is
 * answered as ever, and costs no machines.
 */
export async function untilBuilt(api: TargetCluster, seed: TenantSeed): Promise<void> {
  const { project: namespace, built: name } = seed;
  const isReady = async (): Promise<boolean> => {
    const { metadata, ...rest } = await api.get({ apiVersion: API_VERSION, kind: 'Cluster', namespace, name });
    const { conditions } = (rest as { status?: ClusterStatus }).status ?? {};
    return isConditionTrue(conditions, 'Ready', metadata.generation);
  };
  await eventually(isReady, { timeoutMs: BUILT_WITHIN_MS });
  await applier(api)(aCluster(seed, name, true));
  await applier(api)(aPlan(seed));
}

function applier(api: TargetCluster): (document: object) => Promise<unknown> {
  return (document) => api.applyObject(document as never, OPTIONS);
}

function aCluster({ project, canary }: TenantSeed, name: string, paused: boolean): object {
  return {
    ...{ apiVersion: API_VERSION, kind: 'Cluster' },
    // Labels of people are those of the children, too.
    metadata: { name, namespace: project, labels: { canary } },
    spec: {
      ...{ accountRef: { name: 'main' }, region: 'us-east-1', kubernetes: { version: 'v1.31.4' }, paused },
      controlPlane: { replicas: 1 },
      nodePools: [{ name: 'workers', replicas: 1, machineType: 'm5.large' }],
      addOns: [{ name: 'docs' }],
    },
  };
}

/** One of each kind that a team makes itself and that costs nothing. */
function small({ project: namespace, canary }: TenantSeed): readonly object[] {
  const metadata = { name: 'kept', namespace, labels: { canary } };
  // Reaches nobody, wherever this runs.
  const webhook = { url: 'https://crate.invalid/hook', secret: 'a signing secret' };
  const reason = 'Something to be asked for while the API is tried';
  const waiver = { policies: ['cluster-control-plane-ha'], clusters: ['x-*'], fields: ['spec'], reason };
  const expiresAt = new Date(Date.now() + 30 * 24 * 3600_000).toISOString();
  return [
    { apiVersion: API_VERSION, kind: 'APIKey', metadata, spec: { role: 'viewer' } },
    { apiVersion: API_VERSION, kind: 'NotificationChannel', metadata, spec: { type: 'webhook', webhook } },
    { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'PolicyWaiver', metadata, spec: { ...waiver, expiresAt } },
  ];
}

function aPlan({ project: namespace, built, canary }: TenantSeed): object {
  const changes = { nodePools: [{ name: 'workers', replicas: 2 }] };
  const metadata = { name: 'kept', namespace, labels: { canary } };
  return { apiVersion: API_VERSION, kind: 'Plan', metadata, spec: { clusterRef: { name: built }, changes } };
}
