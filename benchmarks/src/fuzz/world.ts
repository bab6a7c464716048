import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { FileKeyStore, LOCAL_ISSUER, LocalIssuer, PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { HttpTargetCluster, type TargetCluster } from '@crate/kubernetes';
import type { CratePlatform } from '@crate/testing';

const TOKEN_SECONDS = 4 * 3600;
const API_VERSION = 'lifecycle.crate.dev/v1alpha1';

/** Who sends a request; `project` is the only one they belong to. */
export interface FuzzCaller {
  readonly name: string;
  /** How often it acts, beside the others. */
  readonly weight: number;
  readonly token?: string;
  readonly project?: string;
  /** May read everything; its writes are dry runs, so that it does not end the run. */
  readonly isAdmin?: boolean;
}

/** A Project with something in it that nobody else may ever see. */
export interface Tenant {
  readonly project: string;
  /** Name of its cluster: requests of others may try it. */
  readonly cluster: string;
  /** Never part of any request: seen in an answer to somebody else it has leaked. */
  readonly secret: string;
  /** Of its cloud account: never shown to anybody again. */
  readonly credential: string;
}

/** Two teams that know nothing of each other, and the people that try the API. */
export interface World {
  readonly tenants: readonly [Tenant, Tenant];
  readonly callers: readonly FuzzCaller[];
}

/** Fills a new platform with two teams. */
export async function createWorld(platform: CratePlatform): Promise<World> {
  const api = new HttpTargetCluster(await platform.kubeconfig());
  const tenants = [tenant('fuzz-a'), tenant('fuzz-b')] as const;
  for (const each of tenants) await fill(api, each);
  return { tenants, callers: callersOf(platform, tenants) };
}

function tenant(project: string): Tenant {
  return {
    project,
    cluster: `known-${randomBytes(6).toString('hex')}`,
    secret: `canary-${randomBytes(12).toString('hex')}`,
    credential: `credential-${randomBytes(12).toString('hex')}`,
  };
}

function callersOf({ directory }: CratePlatform, [a, b]: World['tenants']): FuzzCaller[] {
  const home = join(directory, 'services', LOCAL_ISSUER, 'keys');
  const issuer = new LocalIssuer(
    new FileKeyStore({ privateDir: home, trustDir: join(directory, 'trust') }, LOCAL_ISSUER),
  );
  const token = (user: string, ...groups: string[]): string => issuer.issue({ user, groups }, TOKEN_SECONDS);
  return [
    { name: 'admin of a', weight: 4, token: token('ann'), project: a.project },
    { name: 'admin of b', weight: 3, token: token('bob'), project: b.project },
    { name: 'viewer of a', weight: 2, token: token('vic'), project: a.project },
    { name: 'operator of b', weight: 2, token: token('olga', 'team-b'), project: b.project },
    { name: 'member of nothing', weight: 2, token: token('nora') },
    { name: 'platform admin', weight: 2, token: token('root', PLATFORM_ADMIN_GROUP), isAdmin: true },
    { name: 'nobody', weight: 1 },
    { name: 'forger', weight: 1, token: `${token('ann').slice(0, -8)}AAAAAAAA` },
  ];
}

async function fill(api: TargetCluster, { project, cluster, secret, credential }: Tenant): Promise<void> {
  const isA = project.endsWith('a');
  const members = isA
    ? [member('User', 'ann', 'admin'), member('User', 'vic', 'viewer')]
    : [member('User', 'bob', 'admin'), member('Group', 'team-b', 'operator')];
  const apply = (document: object): Promise<unknown> =>
    api.applyObject(document as never, { fieldManager: 'fuzz', force: true });
  await apply({
    apiVersion: API_VERSION,
    kind: 'Project',
    metadata: { name: project },
    spec: { displayName: secret, members, quotas: { clusters: 40 } },
  });
  await apply({
    apiVersion: 'cloud.crate.dev/v1alpha1',
    kind: 'CloudAccount',
    metadata: { name: 'main', namespace: project, annotations: { canary: secret } },
    spec: { provider: 'sandbox-aws', credentials: { accessKeyId: 'sandbox', secretAccessKey: credential } },
  });
  await apply({
    apiVersion: API_VERSION,
    kind: 'Cluster',
    metadata: { name: cluster, namespace: project, labels: { canary: secret } },
    spec: { accountRef: { name: 'main' }, region: 'us-east-1', kubernetes: { version: 'v1.31.4' }, paused: true },
  });
}

function member(kind: string, name: string, role: string): object {
  return { kind, name, role };
}
