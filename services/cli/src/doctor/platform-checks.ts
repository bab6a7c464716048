import {
  apiVersionOf,
  CLUSTER,
  INFRASTRUCTURE,
  isConditionTrue,
  KUBERNETES_CLUSTER,
  PLATFORM_STATUS_PATH,
  POLICY,
  type Cluster,
  type KindDefinition,
  type KubeList,
  type PlatformStatus,
  type PlatformSummary,
} from '@crate/api';
import { hasCode, isPlatformError } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { clientVersion } from '../config.js';
import type { CurrentContext } from '../kubeconfig/current-api.js';
import { formatDuration } from '../objects/duration.js';
import { errorLines } from '../output/error-text.js';
import { ServedKinds } from '../objects/served-kinds.js';
import { fail, ok, skip, warn, type Check, type Finding } from './check.js';
import { LOOKED_AT, reachFailure, reachOf } from './reach.js';
import { peerOf, type Peer } from './peer.js';
import { statusChecks } from './status-checks.js';

const AREA = 'platform';
const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;
const TOKEN_SOON_MS = 10 * 60_000;
const SKEW_WARN_MS = 5_000;
const SKEW_FAIL_MS = 60_000;
const MOST_NAMED = 5;
/** Asked twice within what a check may take. */
const REACH_TIMEOUT_MS = 6_000;

const UNREACHABLE =
  'See whether it runs (on this machine: crate status --data-dir DIR, then crate up), and whether --context and address are right';

const UNTRUSTED =
  'See the certificate below, and whether --context and address are right; crate login --ca-file trusts another authority';

/** A kind that each service answers for. */
const SERVICES: Readonly<Record<string, KindDefinition>> = {
  lifecycle: CLUSTER,
  'cloud-mgmt': INFRASTRUCTURE,
  'cluster-mgmt': KUBERNETES_CLUSTER,
  'policy-mgmt': POLICY,
};

/** Whether a platform can be reached and used, and whether its services answer. */
export function platformChecks({ api, context, file, token }: CurrentContext, now = Date.now): readonly Check[] {
  const asked = api.with({ timeoutMs: REACH_TIMEOUT_MS });
  const peer = once(async () => peerOf(api.server));
  const absent = once(async () => absentServices(api));
  const services = Object.entries(SERVICES).map(([name, kind]) => ({
    name: `service ${name}`,
    look: async () =>
      (await absent()).has(name) ? skip('This platform does without it') : serviceFinding(api, name, kind),
  }));
  const checks: readonly Omit<Check, 'area'>[] = [
    { name: 'context', look: () => ok(`${context} of ${file}: ${api.server}`) },
    { name: 'reachable', look: async () => reachableFinding(asked) },
    { name: 'certificate', look: async () => certificateFinding(await peer(), now()) },
    { name: 'clock', look: async () => clockFinding(await peer(), now()) },
    { name: 'sign-in', look: async () => signInFinding(api, token, now()) },
    { name: 'version', look: async () => versionFinding(clientVersion(), await serverVersion(api)) },
    { name: 'kinds', look: async () => kindsFinding(await ServedKinds.load(api), await absent()) },
    ...services,
    ...statusChecks(api),
    { name: 'clusters', look: async () => clustersFinding(api) },
  ];
  const reach = once(async () => reachOf(asked));
  return checks.map(({ name, look }) => ({
    area: AREA,
    name,
    look: async () =>
      name === 'context' || LOOKED_AT[await reach()](name) ? look() : skip('Not looked at: it cannot be reached'),
  }));
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= work());
}

async function reachableFinding(api: ApiClient): Promise<Finding> {
  const begun = performance.now();
  try {
    await api.text('/readyz', '*/*');
  } catch (error) {
    const [message = ''] = isPlatformError(error) ? errorLines(error) : [String(error)];
    return fail(message, reachFailure(error) === 'untrusted' ? UNTRUSTED : UNREACHABLE);
  }
  return ok(`${api.server} answers, in ${Math.round(performance.now() - begun)} ms`);
}

export function certificateFinding({ validTo, issuer }: Peer, now: number): Finding {
  const left = validTo.getTime() - now;
  const message = `Valid until ${validTo.toISOString().slice(0, 10)}, from ${issuer}`;
  const remedy = 'Have who runs the platform replace it; services read the new one by themselves';
  if (left <= 0) return fail(`Expired on ${validTo.toISOString().slice(0, 10)}`, remedy);
  return left < SOON_MS ? warn(message, remedy) : ok(message);
}

export function clockFinding({ date }: Peer, now: number): Finding {
  if (!date) return skip('The platform does not tell its time');
  const apart = Math.abs(date.getTime() - now);
  // Headers have whole seconds.
  if (apart <= SKEW_WARN_MS) return ok('As on the platform');
  const message = `${formatDuration(apart)} apart from the platform`;
  const remedy = 'Set the clock of this machine, best by NTP: timedatectl set-ntp true';
  return apart > SKEW_FAIL_MS ? fail(message, `${remedy}; else tokens are refused`) : warn(message, remedy);
}

async function signInFinding(api: ApiClient, token: string | undefined, now: number): Promise<Finding> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  try {
    const { status } = await api.create<{ status: { userInfo: { username: string } } }>(path, body);
    return tokenFinding(status.userInfo.username, expiryOf(token), now);
  } catch (error) {
    if (!hasCode(error, 'Unauthenticated')) throw error;
    return fail('The platform does not know you', `Sign in: crate login --server ${api.server}`);
  }
}

export function tokenFinding(user: string, expiresAt: number | undefined, now: number): Finding {
  if (expiresAt === undefined) return ok(`As ${user}`);
  const message = `As ${user}; the token ends in ${formatDuration(expiresAt - now)}`;
  if (expiresAt - now > TOKEN_SOON_MS) return ok(message);
  return warn(message, 'Where crate login made it, it is renewed by itself; else get a new kubeconfig');
}

/** When a JWT ends; undefined for other tokens, and for those without an end. */
export function expiryOf(token: string | undefined): number | undefined {
  const [, claims] = (token ?? '').split('.');
  if (claims === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly exp?: number };
    return exp === undefined ? undefined : exp * 1_000;
  } catch {
    return undefined; // Some other token with a dot.
  }
}

async function serverVersion(api: ApiClient): Promise<string> {
  return (await api.get<{ readonly gitVersion: string }>('/version')).gitVersion;
}

/** `v1.31.4+crate.0.1.0` says which Kubernetes API it speaks, and which release it is. */
export function versionFinding(client: string, server: string): Finding {
  const release = /\+crate\.(\d+\.\d+\.\d+)/.exec(server)?.[1];
  if (release === undefined) return warn(`The platform says ${server}`, 'Is this the API of Crate? See --context');
  const message = `Client ${client}, platform v${release}`;
  const [ours, theirs] = [client.replace(/^v/, ''), release].map((text) => text.split('.').slice(0, 2).join('.'));
  return ours === theirs ? ok(message) : warn(message, `Take the client of release ${release}`);
}

/** Those that a platform may do without: in a cluster of its own it needs no cloud. */
const DISPENSABLE = ['cloud-mgmt'];

/** Of these, those that the platform does not name among its own. */
async function absentServices(api: ApiClient): Promise<ReadonlySet<string>> {
  const status = await api.get<PlatformStatus | PlatformSummary>(PLATFORM_STATUS_PATH).catch(() => undefined);
  if (status === undefined) return new Set();
  const known = new Set(status.services.map(({ name }) => name));
  return new Set(DISPENSABLE.filter((name) => !known.has(name)));
}

export function kindsFinding({ all }: ServedKinds, absent: ReadonlySet<string> = new Set()): Finding {
  const needed = Object.entries(SERVICES).filter(([service]) => !absent.has(service));
  const missing = needed.filter(([, { group }]) => !all.some((kind) => kind.group === group));
  if (missing.length === 0) return ok(`${all.length} kinds are served`);
  const names = missing.map(([service, { group }]) => `${group} (of ${service})`).join(', ');
  return fail(`Nobody serves ${names}`, 'See whether these services run, and reach NATS: crate status, or their logs');
}

async function serviceFinding(api: ApiClient, service: string, kind: KindDefinition): Promise<Finding> {
  const begun = performance.now();
  try {
    await api.get(`/apis/${apiVersionOf(kind)}/${kind.plural}?limit=1`);
    return ok(`Answers for ${kind.plural}, in ${Math.round(performance.now() - begun)} ms`);
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return skip(`You may not list ${kind.plural} of all Projects`);
    const remedy = `See its log and /readyz: does ${service} run, and reach Postgres and NATS?`;
    return fail(`Does not answer for ${kind.plural}: ${(error as Error).message}`, remedy);
  }
}

async function clustersFinding(api: ApiClient): Promise<Finding> {
  try {
    const { items } = await api.get<KubeList<Cluster>>(`/apis/${apiVersionOf(CLUSTER)}/${CLUSTER.plural}`);
    return readyFinding(items);
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return skip('You may not list clusters of all Projects');
    throw error;
  }
}

export function readyFinding(clusters: readonly Cluster[]): Finding {
  const waiting = clusters.filter(({ status }) => !isConditionTrue(status?.conditions, 'Ready'));
  if (waiting.length === 0)
    return ok(clusters.length === 0 ? 'There are none yet' : `All ${clusters.length} are Ready`);
  const named = waiting.slice(0, MOST_NAMED).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const [first = ''] = named;
  const [project, name] = first.split('/');
  const more = waiting.length > named.length ? ` and ${waiting.length - named.length} more` : '';
  const message = `${waiting.length} of ${clusters.length} are not Ready: ${named.join(', ')}${more}`;
  return warn(message, `See why: crate describe cluster ${name} -n ${project}`);
}
