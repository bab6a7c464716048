import { randomBytes } from 'node:crypto';
import { createAuthority, issueCertificate, type CertificatePair } from '@crate/auth';
import { NAMESPACE, passwordVariable, type KubernetesSecret } from '@crate/helm-chart';
import { findText } from '../../up/secret-file.js';
import { SERVICE_ORDER } from '../../up/service-order.js';
import type { BootstrapDir } from '../bootstrap-dir.js';
import { writeDurably } from '../durable-file.js';
import {
  namesInCluster,
  NATS,
  NATS_REPLICAS,
  natsMember,
  natsSecret,
  POSTGRES,
  POSTGRES_PORT,
  postgresSecret,
  SERVERS_CA,
} from './server-names.js';

/** All that is secret of the servers that the platform brings along. */
export interface ServerSecrets {
  /** PEM of the authority of their certificates. Its key is not kept. */
  readonly ca: string;
  readonly secrets: readonly KubernetesSecret[];
  /** Of PostgreSQL, as its owner and by its name in the cluster. */
  readonly databaseUrl: string;
  /** Of the users of NATS, by the variables that have them. */
  readonly natsPasswords: Readonly<Record<string, string>>;
}

/** Undefined before they were made. */
export async function findServerSecrets(dir: BootstrapDir): Promise<ServerSecrets | undefined> {
  const text = await findText(dir.serverSecrets());
  return text === undefined ? undefined : (JSON.parse(text) as ServerSecrets);
}

/** Made once, and never again: the database knows its password, and who trusts the authority knows no other. */
export async function ensureServerSecrets(dir: BootstrapDir): Promise<ServerSecrets> {
  const found = await findServerSecrets(dir);
  const secrets = found ?? (await make());
  if (!found) await writeDurably(dir.serverSecrets(), JSON.stringify(secrets));
  await writeDurably(dir.serversCa(), secrets.ca);
  return secrets;
}

async function make(): Promise<ServerSecrets> {
  const authority = await createAuthority(`Servers of ${NAMESPACE}`);
  const ca = authority.certificate;
  const password = randomBytes(24).toString('hex');
  const natsPasswords = Object.fromEntries(
    // nats-server reads a variable as it reads its file: what begins with a digit may be a number there.
    SERVICE_ORDER.map((service) => [passwordVariable(service), `n${randomBytes(24).toString('hex')}`]),
  );
  const members = Array.from({ length: NATS_REPLICAS }, (_, index) => natsMember(index));
  // The machine that sets the platform up comes through a tunnel.
  const postgres = await issue(authority, [...namesInCluster(POSTGRES), 'localhost']);
  const nats = await issue(authority, [...namesInCluster(NATS), ...members]);
  const secrets = [
    secret(SERVERS_CA, { 'ca.crt': ca }),
    secret(postgresSecret, { ...postgres, password }),
    secret(natsSecret, { ...nats, 'ca.crt': ca }),
  ];
  const [, , host = ''] = namesInCluster(POSTGRES);
  const databaseUrl = `postgresql://postgres:${password}@${host}:${POSTGRES_PORT}/crate?sslmode=verify-full`;
  return { ca, secrets, databaseUrl, natsPasswords };
}

async function issue(authority: CertificatePair, names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { certificate, key } = await issueCertificate(authority, { commonName: names[0] ?? '', names });
  return { 'tls.crt': certificate, 'tls.key': key };
}

/** A Secret of the platform's namespace. */
export function secret(name: string, stringData: Readonly<Record<string, string>>): KubernetesSecret {
  return { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name, namespace: NAMESPACE }, stringData };
}
