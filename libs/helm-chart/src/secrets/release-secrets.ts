import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createAuthority,
  type CertificatePair,
  ensureKeyPair,
  FileKeyStore,
  issueCertificate,
  LOCAL_ISSUER,
  LocalIssuer,
  parseSigningKey,
  PLATFORM_ADMIN_GROUP,
  SERVICES,
  type KeyDirectories,
} from '@crate/auth';
import { badRequest } from '@crate/errors';
import { createKeyFile } from '@crate/secrets';

/** Longest that X.509 takes: names of load balancers are longer. Source: https://www.rfc-editor.org/rfc/rfc5280#appendix-A.1 */
const COMMON_NAME_LENGTH = 64;

/** Of a role in the bundled PostgreSQL. */
const ROLE_SECRET = 'kubernetes.io/basic-auth';
/** Without it a changed password is not noticed. Source: https://cloudnative-pg.io/documentation/current/declarative_role_management/ */
const RELOADED = { 'cnpg.io/reload': 'true' };

/** A Secret of Kubernetes, its values as text. */
export interface KubernetesSecret {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly type: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly stringData: Readonly<Record<string, string>>;
}

export interface ReleaseSecretsOptions {
  /** What names of objects begin with: the name of the release, unless values say otherwise. */
  readonly fullname: string;
  readonly namespace: string;
  /** URL of PostgreSQL without user and password; absent: the bundled one. */
  readonly databaseUrl?: string;
  /** Names of the API; given, certificates of the API and of bundled NATS are made too. */
  readonly hosts?: readonly string[];
  /** Name by which API servers reach the webhook; given, its certificate is made, and one for them. */
  readonly webhookHost?: string;
  /** Given, somebody who may do everything for as many days, to begin with. */
  readonly adminDays?: number;
}

/** Kept nowhere: whoever asked for it has to put it into the cluster, and `adminToken` to a person. */
export interface ReleaseSecrets {
  readonly secrets: readonly KubernetesSecret[];
  /** What the owner of a PostgreSQL of one's own runs in it; absent with the bundled one. */
  readonly sql?: string;
  /** PEM of the authority of the certificates that were made. Its key is not kept. */
  readonly ca?: string;
  /** What API servers show the webhook. The key of its authority is not kept, so that there will never be another. */
  readonly webhookClient?: CertificatePair;
  /** A token of the first administrator. */
  readonly adminToken?: string;
  /** PEM of the key that signed it. There will never be another token, unless whoever asked keeps it. */
  readonly adminKey?: string;
}

/** Everything secret that a new release needs, made anew at each call. Throws BadRequest for a URL that cannot be used. */
export async function releaseSecrets(options: ReleaseSecretsOptions): Promise<ReleaseSecrets> {
  const directory = await mkdtemp(join(tmpdir(), 'crate-secrets-'));
  try {
    return await make(options, directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function make(options: ReleaseSecretsOptions, directory: string): Promise<ReleaseSecrets> {
  const { fullname, namespace, databaseUrl } = options;
  const trustDir = join(directory, 'trust');
  const secret = (name: string, stringData: Readonly<Record<string, string>>, type = 'Opaque'): KubernetesSecret => ({
    ...{ apiVersion: 'v1', kind: 'Secret', type },
    metadata: { name: `${fullname}-${name}`, namespace, ...(type === ROLE_SECRET ? { labels: RELOADED } : {}) },
    stringData,
  });
  const secrets: KubernetesSecret[] = [];
  const statements: string[] = [];
  for (const service of SERVICES) {
    const [keys, encryption] = [join(directory, service, 'keys'), join(directory, service)];
    await ensureKeyPair({ privateDir: keys, trustDir }, service);
    await createKeyFile(encryption);
    const username = service.replaceAll('-', '_');
    const password = randomBytes(24).toString('hex');
    const url = urlAs(databaseUrl ?? bundledUrl(options), username, password);
    secrets.push(
      // nats-server reads a variable as it reads its file: what begins with a digit may be a number there.
      secret(`${service}-credentials`, { 'database-url': url, 'nats-password': `n${randomBytes(24).toString('hex')}` }),
      secret(`${service}-keys`, await filesOf(keys)),
      secret(`${service}-encryption`, await filesOf(encryption)),
    );
    if (databaseUrl === undefined) {
      secrets.push(secret(`${service}-postgres`, { username, password }, ROLE_SECRET));
    } else statements.push(...roleStatements(username, password));
  }
  const admin = await adminOf({ privateDir: join(directory, LOCAL_ISSUER), trustDir }, options.adminDays);
  secrets.push(secret('trust', await filesOf(trustDir)));
  const certificates = await certificatesOf(options);
  for (const { name, data } of certificates?.pairs ?? []) secrets.push(secret(name, data, 'kubernetes.io/tls'));
  return {
    secrets,
    ...(databaseUrl === undefined ? {} : { sql: `${statements.join('\n')}\n` }),
    ...(certificates ? { ca: certificates.ca } : {}),
    ...(certificates?.webhookClient ? { webhookClient: certificates.webhookClient } : {}),
    ...admin,
  };
}

/** A token of the first administrator, good for as many days from now on. `key`: `adminKey` of the release. */
export function firstAdminToken(key: string, days: number): string {
  const issuer = new LocalIssuer({ signingKey: () => parseSigningKey(key) });
  return issuer.issue({ user: 'admin', groups: [PLATFORM_ADMIN_GROUP] }, days * 86_400);
}

async function adminOf(
  directories: KeyDirectories,
  days: number | undefined,
): Promise<Pick<ReleaseSecrets, 'adminToken' | 'adminKey'>> {
  if (days === undefined) return {};
  await ensureKeyPair(directories, LOCAL_ISSUER);
  const { privateKey } = new FileKeyStore(directories, LOCAL_ISSUER).signingKey();
  const adminKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { adminToken: firstAdminToken(adminKey, days), adminKey };
}

interface Certificates {
  readonly ca: string;
  readonly pairs: readonly { readonly name: string; readonly data: Readonly<Record<string, string>> }[];
  readonly webhookClient?: CertificatePair;
}

async function certificatesOf(options: ReleaseSecretsOptions): Promise<Certificates | undefined> {
  const { fullname, namespace, hosts, webhookHost } = options;
  if (hosts === undefined && webhookHost === undefined) return undefined;
  const authority = await createAuthority(`${fullname} in ${namespace}`);
  const inside = (name: string): readonly string[] => [name, `${name}.${namespace}`, `${name}.${namespace}.svc`];
  const clients = webhookHost === undefined ? undefined : await webhookClientsOf(options);
  // By a port that is forwarded it is reached before any name leads to it.
  const api = [...new Set([...(hosts ?? []), ...inside(`${fullname}-api`), 'localhost', '127.0.0.1'])];
  const wanted = {
    ...(hosts ? { 'api-tls': api, 'nats-tls': inside(`${fullname}-nats`) } : {}),
    ...(webhookHost === undefined ? {} : { 'webhook-tls': [webhookHost, ...inside(`${fullname}-webhook`)] }),
  };
  const pairs = await Promise.all(
    Object.entries(wanted).map(async ([name, names]) => {
      const commonName = names.find(({ length }) => length <= COMMON_NAME_LENGTH) ?? name;
      const { certificate, key } = await issueCertificate(authority, { commonName, names });
      const ca = name === 'webhook-tls' ? clients?.ca : undefined;
      return { name, data: { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': ca ?? authority.certificate } };
    }),
  );
  const all = hosts ? [...pairs, await routesPairOf(options)] : pairs;
  return { ca: authority.certificate, pairs: all, ...(clients ? { webhookClient: clients.client } : {}) };
}

/** For what members of bundled NATS are to one another. An authority of its own: that of servers would make a member of everything that serves. */
async function routesPairOf({ fullname, namespace }: ReleaseSecretsOptions): Promise<Certificates['pairs'][number]> {
  const authority = await createAuthority(`${fullname} in ${namespace}: members of NATS`);
  const names = [`*.${fullname}-nats-headless`];
  const { certificate, key } = await issueCertificate(authority, { commonName: `${fullname}-nats`, names });
  return { name: 'nats-routes-tls', data: { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authority.certificate } };
}

/** An authority of its own: that of servers would let in everything that serves. */
async function webhookClientsOf({
  fullname,
  namespace,
}: ReleaseSecretsOptions): Promise<{ readonly ca: string; readonly client: CertificatePair }> {
  const authority = await createAuthority(`${fullname} in ${namespace}: who asks the webhook`);
  return {
    ca: authority.certificate,
    client: await issueCertificate(authority, { commonName: 'kube-apiserver' }),
  };
}

function bundledUrl({ fullname, namespace }: ReleaseSecretsOptions): string {
  const host = `${fullname}-postgres-rw.${namespace}.svc`;
  return `postgresql://${host}:5432/crate?sslmode=verify-full&sslrootcert=/run/crate/database-ca/ca.crt`;
}

function urlAs(text: string, username: string, password: string): string {
  if (!/^postgres(ql)?:\/\/[^/@]+\/[^/?]+/.test(text)) {
    throw badRequest(
      'The URL of the database must be such as postgresql://HOST:5432/DATABASE, without user and password',
    );
  }
  const url = new URL(text);
  return Object.assign(url, { username, password }).href;
}

function roleStatements(role: string, password: string): readonly string[] {
  return [
    `CREATE ROLE ${role} LOGIN PASSWORD '${password}';`,
    // Who is no superuser makes schemas for a role only as a member of it.
    `GRANT ${role} TO CURRENT_USER;`,
    ...[role, `${role}_events`].map((schema) => `CREATE SCHEMA ${schema} AUTHORIZATION ${role};`),
  ];
}

async function filesOf(directory: string): Promise<Readonly<Record<string, string>>> {
  const entries = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = entries.map(async ({ name }) => [name, await readFile(join(directory, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}
