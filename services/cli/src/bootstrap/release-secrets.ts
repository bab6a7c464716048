import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { pastKeyFiles } from '@crate/auth';
import { listKeyFiles } from '@crate/secrets';
import {
  firstAdminToken,
  NAMESPACE,
  passwordVariable,
  RELEASE,
  releaseSecrets,
  type KubernetesSecret,
  type ReleaseSecrets,
} from '@crate/helm-chart';
import { join } from 'node:path';
import { keysDirectory } from '../secrets/encryption-keys.js';
import type { DataDir } from '../up/data-dir.js';
import { findText, writeSecretFile } from '../up/secret-file.js';
import { SERVICE_ORDER, type LocalService } from '../up/service-order.js';
import type { BootstrapDir } from './bootstrap-dir.js';
import { writeDurably } from './durable-file.js';
import { readGivenText } from '../output/in-file.js';
import { refusal } from './refusal.js';
import { clusterHost } from './cluster-host.js';
import type { BootstrapRequest } from './request.js';
import type { BootstrapScope } from './scope.js';
import { ensureServerSecrets } from './servers/server-secrets.js';

/** As long as the first administrator may go on without an issuer of people. */
const ADMIN_DAYS = 7;

/** Name of the Secret with the public keys of all services. */
export const TRUST = `${RELEASE}-trust`;

/** What was made for the release; undefined before that. */
export async function findReleaseSecrets(dir: BootstrapDir): Promise<ReleaseSecrets | undefined> {
  const text = await findText(dir.releaseSecrets());
  return text === undefined ? undefined : (JSON.parse(text) as ReleaseSecrets);
}

export async function getReleaseSecrets(dir: BootstrapDir): Promise<ReleaseSecrets> {
  const found = await findReleaseSecrets(dir);
  if (found) return found;
  throw refusal({
    reason: 'SecretsMissing',
    message: `${dir.releaseSecrets()} is gone`,
    remedy: 'Restore it from a backup of the directory: nobody else has these keys',
  });
}

/** Made once, and never again: what is under keys that were lost is lost. Has the keys of the singleton besides its own. */
export async function ensureReleaseSecrets({
  dir,
  request,
  target,
}: Pick<BootstrapScope, 'dir' | 'request' | 'target'>): Promise<ReleaseSecrets> {
  const found = await findReleaseSecrets(dir);
  if (found) return found;
  const made = await releaseSecrets({
    fullname: RELEASE,
    namespace: NAMESPACE,
    databaseUrl: withoutUser(await readFile(dir.databaseUrl(), 'utf8')),
    hosts: [...new Set([...request.hosts, ...target.apiNames(await clusterHost(dir))])],
    adminDays: ADMIN_DAYS,
  });
  const passwords = await readPasswords(dir, request);
  const secrets = await Promise.all(made.secrets.map((secret) => completed(secret, dir.singleton, passwords)));
  const all = { ...made, secrets };
  await writeDurably(dir.releaseSecrets(), JSON.stringify(all));
  return all;
}

/** A new token of the first administrator, as long as the key for it is kept; afterwards, and of an older release, the first one, which may have ended. */
export function adminTokenOf({ adminKey, adminToken = '' }: ReleaseSecrets): string {
  return adminKey === undefined ? adminToken : firstAdminToken(adminKey, ADMIN_DAYS);
}

/** Nobody makes another token of an administrator any more. Idempotent. */
export async function forgetAdminKey(dir: BootstrapDir): Promise<void> {
  const found = await findReleaseSecrets(dir);
  if (found?.adminKey === undefined) return;
  await writeDurably(dir.releaseSecrets(), JSON.stringify({ ...found, adminKey: undefined }));
}

/** Directories that have the key-encryption keys of these Secrets, one for each service, and the public keys of all, as pods have them. */
export async function writeKeyFiles(root: string, secrets: readonly KubernetesSecret[]): Promise<void> {
  for (const service of SERVICE_ORDER) {
    const keys = secrets.find(({ metadata }) => metadata.name === nameOf(service, 'encryption'))?.stringData ?? {};
    for (const [name, key] of Object.entries(keys)) await writeSecretFile(join(root, service, name), key);
  }
  const trust = secrets.find(({ metadata }) => metadata.name === TRUST)?.stringData ?? {};
  for (const [name, keys] of Object.entries(trust)) await writeSecretFile(join(root, 'trust', name), keys);
}

/** Name of a Secret of a service. */
export function nameOf(service: string, what: 'credentials' | 'encryption'): string {
  return `${RELEASE}-${service}-${what}`;
}

/** What a service connects to PostgreSQL with. */
export function databaseUrlOf({ secrets }: ReleaseSecrets, service: LocalService): URL {
  const found = secrets.find(({ metadata }) => metadata.name === nameOf(service, 'credentials'));
  return new URL(found?.stringData['database-url'] ?? '');
}

async function completed(
  secret: KubernetesSecret,
  singleton: DataDir,
  passwords: Readonly<Record<string, string | undefined>>,
): Promise<KubernetesSecret> {
  const { name } = secret.metadata;
  // What the singleton signed is verified by the platform, once it has taken over.
  if (name === TRUST)
    return { ...secret, stringData: { ...secret.stringData, ...(await pastKeyFiles(singleton.trust())) } };
  for (const service of SERVICE_ORDER) {
    if (name === nameOf(service, 'encryption')) {
      return { ...secret, stringData: { ...secret.stringData, ...(await keysIn(keysDirectory(singleton, service))) } };
    }
    const password = passwords[passwordVariable(service)];
    if (name !== nameOf(service, 'credentials') || password === undefined) continue;
    return { ...secret, stringData: { ...secret.stringData, 'nats-password': password } };
  }
  return secret;
}

/** Those that NATS has: in the cluster ours, else of the file. */
async function readPasswords(
  dir: BootstrapDir,
  { natsPasswordsFile }: BootstrapRequest,
): Promise<Readonly<Record<string, string | undefined>>> {
  if (natsPasswordsFile === undefined) return (await ensureServerSecrets(dir)).natsPasswords;
  const passwords = parseEnv(await readGivenText(natsPasswordsFile));
  const missing = SERVICE_ORDER.map(passwordVariable).filter((name) => !passwords[name]);
  if (missing.length === 0) return passwords;
  throw refusal({
    reason: 'NatsPasswordsMissing',
    message: `--nats-passwords-file does not have ${missing.join(', ')}`,
    remedy: 'Give the variables that the NATS servers read their passwords from, one NAME=value a line',
  });
}

async function keysIn(directory: string): Promise<Readonly<Record<string, string>>> {
  const keys = (await listKeyFiles(directory)).map(async (id) => {
    const name = `${id}.key`;
    return [name, await readFile(join(directory, name), 'utf8')] as const;
  });
  return Object.fromEntries(await Promise.all(keys));
}

function withoutUser(text: string): string {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href;
}
