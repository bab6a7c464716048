import type { CratePlatform } from '@crate/testing';
import { parse } from 'yaml';
import type { HttpClient } from '../conformance/http-client.js';
import type { Letter } from './expectations.js';

/** The Project that most people of the table belong to, and the one that they must not see. */
export const OWN = 'team-own';
export const OTHER = 'team-other';
/** A Project that does not exist. */
export const NONE = 'team-none';

/** Members of no Project, who may have the states of all in an emergency. */
export const BREAKERS = 'breakers-of-glass';

export type Rank = 'none' | 'V' | 'O' | 'A' | 'P';

/** Somebody who asks. */
export interface Asker {
  readonly name: string;
  readonly isSignedIn: boolean;
  /** By Project; absent: none. */
  readonly ranks: Readonly<Record<string, Rank>>;
  readonly group?: string;
  readonly http: HttpClient;
}

interface Person {
  readonly name: string;
  readonly group?: string;
  readonly ranks: Readonly<Record<string, Rank>>;
}

const PEOPLE: readonly Person[] = [
  { name: 'nobody', group: 'strangers', ranks: {} },
  { name: 'viewer', ranks: { [OWN]: 'V' } },
  { name: 'operator', ranks: { [OWN]: 'O' } },
  { name: 'admin', ranks: { [OWN]: 'A' } },
  { name: 'grouped', group: 'operators-of-own', ranks: { [OWN]: 'O' } },
  { name: 'breaker', group: BREAKERS, ranks: {} },
  { name: 'neighbour', ranks: { [OTHER]: 'A' } },
];

/** What both Projects say of their members. */
export const MEMBERS: Readonly<Record<string, readonly object[]>> = {
  [OWN]: [
    { kind: 'User', name: 'viewer', role: 'viewer' },
    { kind: 'User', name: 'operator', role: 'operator' },
    { kind: 'User', name: 'admin', role: 'admin' },
    { kind: 'Group', name: 'operators-of-own', role: 'operator' },
  ],
  [OTHER]: [{ kind: 'User', name: 'neighbour', role: 'admin' }],
};

const ORDER: readonly Rank[] = ['none', 'V', 'O', 'A', 'P'];

/** Whether the table lets somebody do what has this letter in a Project; without one, in all of them. */
export function isPromised(letter: Letter, { isSignedIn, ranks, group }: Asker, project: string | undefined): boolean {
  if (!isSignedIn || letter === '-' || letter === '.') return false;
  if (letter === 'E' || letter === '*') return true;
  if (letter === 'G') return group === BREAKERS || ranks['*'] === 'P';
  const rank = ranks['*'] ?? (project === undefined ? 'none' : (ranks[project] ?? 'none'));
  return ORDER.indexOf(rank) >= ORDER.indexOf(letter);
}

/** Everybody of the table, signed in by tokens of the platform's own issuer or by API keys. */
export async function everybody(platform: CratePlatform, platformAdmin: HttpClient): Promise<readonly Asker[]> {
  const people = PEOPLE.map(async ({ name, group, ranks }) => {
    const groups = group === undefined ? [] : ['--group', group];
    const kubeconfig = await platform.crate('kubeconfig', '--user', name, ...groups);
    const http = platformAdmin.as(tokenOf(kubeconfig));
    return { name, isSignedIn: true, ranks, http, ...(group === undefined ? {} : { group }) };
  });
  const keys = (['viewer', 'operator', 'admin'] as const).map(async (role) => ({
    name: `key-${role}`,
    isSignedIn: true,
    ranks: { [OWN]: ({ viewer: 'V', operator: 'O', admin: 'A' } as const)[role] },
    http: platformAdmin.as(await issueKey(platformAdmin, role)),
  }));
  return [
    { name: 'platform', isSignedIn: true, ranks: { '*': 'P' }, http: platformAdmin },
    ...(await Promise.all(people)),
    ...(await Promise.all(keys)),
  ];
}

async function issueKey(http: HttpClient, role: string): Promise<string> {
  const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${OWN}/apikeys`;
  const metadata = { name: `key-${role}` };
  const key = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'APIKey', metadata, spec: { role } };
  await http.post(path, key);
  const { body, text } = await http.post(`${path}/${metadata.name}/token`, {});
  const { token } = (body as unknown as { status?: { token?: string } }).status ?? {};
  if (token === undefined) throw new Error(`No token was issued: ${text}`);
  return token;
}

export function tokenOf(kubeconfig: string): string {
  const { users } = parse(kubeconfig) as { readonly users: readonly { readonly user: { readonly token: string } }[] };
  return users[0]?.user.token ?? '';
}
