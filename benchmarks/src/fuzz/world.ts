import { join } from 'node:path';
import { FileKeyStore, LOCAL_ISSUER, LocalIssuer, PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { HttpTargetCluster } from '@crate/kubernetes';
import type { CratePlatform } from '@crate/testing';
import type { ApiDocument } from './api-document.js';
import { knownOf } from './known-names.js';
import { fill, fillShared, tenantSeed, untilBuilt, type Tenant, type TenantSeed } from './tenant.js';

const TOKEN_SECONDS = 4 * 3600;

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

/** Two teams that know nothing of each other, and the people that try the API. */
export interface World {
  readonly tenants: readonly [Tenant, Tenant];
  readonly callers: readonly FuzzCaller[];
}

/** Fills a new platform with two teams, each with a cluster that was built; `document` says what can be asked for. */
export async function createWorld(platform: CratePlatform, document: ApiDocument): Promise<World> {
  const api = new HttpTargetCluster(await platform.kubeconfig());
  const seeds = [tenantSeed('fuzz-a'), tenantSeed('fuzz-b')] as const;
  await fillShared(api);
  for (const seed of seeds) await fill(api, seed, MEMBERS[seed.project] ?? []);
  for (const seed of seeds) await untilBuilt(api, seed);
  const complete = async (seed: TenantSeed): Promise<Tenant> => {
    const { names, uids } = await knownOf(api, document, seed.project);
    return { ...seed, names, secrets: [seed.canary, ...uids] };
  };
  const tenants = [await complete(seeds[0]), await complete(seeds[1])] as const;
  return { tenants, callers: callersOf(platform, tenants) };
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

const member = (kind: string, name: string, role: string): object => ({ kind, name, role });

const MEMBERS: Readonly<Record<string, readonly object[]>> = {
  'fuzz-a': [member('User', 'ann', 'admin'), member('User', 'vic', 'viewer')],
  'fuzz-b': [member('User', 'bob', 'admin'), member('Group', 'team-b', 'operator')],
};
