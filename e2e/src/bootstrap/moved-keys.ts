import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RELEASE, type KubernetesSecret, type ReleaseSecrets } from '@crate/helm-chart';
import { DirectoryKeyCarrier } from '@crate/pivot';
import { schemaOf, SERVICES } from './local-images.js';

/** The release's secrets with the key-encryption keys of another installation besides its own, so that its services can open what is moved to them. */
export async function withKeysOf(dataDir: string, secrets: ReleaseSecrets): Promise<ReleaseSecrets> {
  const added = secrets.secrets.map(async (secret) => {
    const service = SERVICES.find((name) => secret.metadata.name === `${RELEASE}-${name}-encryption`);
    if (service === undefined) return secret;
    return { ...secret, stringData: { ...secret.stringData, ...(await keysIn(encryptionOf(dataDir, service))) } };
  });
  return { ...secrets, secrets: await Promise.all(added) };
}

/** Between the data directory and a directory that has the keys of the Secrets, as they are mounted into the pods. */
export async function carrierTo(
  directory: string,
  dataDir: string,
  { secrets }: ReleaseSecrets,
): Promise<DirectoryKeyCarrier> {
  const places = SERVICES.map((service) => ({ service, schema: schemaOf(service), to: join(directory, service) }));
  for (const { service, to } of places) {
    await mkdir(to, { recursive: true, mode: 0o700 });
    const { stringData } = secrets.find(
      ({ metadata }) => metadata.name === `${RELEASE}-${service}-encryption`,
    ) as KubernetesSecret;
    for (const [name, key] of Object.entries(stringData)) await writeFile(join(to, name), key, { mode: 0o600 });
  }
  return new DirectoryKeyCarrier({
    from: Object.fromEntries(places.map(({ schema, service }) => [schema, encryptionOf(dataDir, service)])),
    to: Object.fromEntries(places.map(({ schema, to }) => [schema, to])),
  });
}

async function keysIn(directory: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.key'));
  const keys = names.map(async (name) => [name, await readFile(join(directory, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(keys));
}

function encryptionOf(dataDir: string, service: string): string {
  return join(dataDir, 'services', service, 'encryption');
}
