import { join } from 'node:path';
import { Database } from '@crate/database';
import { AesGcmSecretBox, FileKeyProvider, PostgresSecretStore } from '@crate/secrets';
import { excerptCanaries, pemCanaries, type Canary, type CratePlatform } from '@crate/testing';
import { parse } from 'yaml';

const SERVICES = ['cloud-mgmt', 'cluster-mgmt', 'lifecycle', 'policy-mgmt'];
const PRIVATE_KEY = 'PRIVATE KEY-----';

interface Place {
  readonly owner_uid: string;
  readonly kind: string;
  readonly serial: number;
}

/** Everything that the platform keeps encrypted right now, opened with its own keys: each of it is a secret that may stand nowhere else. */
export async function madeSecrets(platform: CratePlatform): Promise<readonly Canary[]> {
  const found = await Promise.all(SERVICES.map((service) => secretsOf(platform, service)));
  // Versions of one state, and kubeconfigs made twice, share most of their content.
  return [...new Map(found.flat().map((canary) => [canary.value, canary])).values()];
}

async function secretsOf(platform: CratePlatform, service: string): Promise<readonly Canary[]> {
  const schema = service.replaceAll('-', '_');
  const database = new Database({ url: await platform.databaseUrl(), schema, maxConnections: 2 });
  try {
    const keys = await FileKeyProvider.open(join(platform.directory, 'services', service, 'encryption'));
    const store = new PostgresSecretStore({ database, box: new AesGcmSecretBox(keys) });
    const rows = await database.rowsOnce<Place>('SELECT owner_uid, kind, serial FROM secret_versions');
    const canaries: Canary[] = [];
    for (const { owner_uid: owner, kind, serial } of rows) {
      const opened = await store.findVersion(owner, kind, serial);
      const text = Buffer.from(opened?.plain ?? []).toString('utf8');
      canaries.push(...canariesOf(`${service} ${kind} ${owner} version ${serial}`, text));
    }
    return canaries;
  } finally {
    await database.close();
  }
}

/** The private keys in a document, line by line. */
export function keysIn(name: string, text: string): readonly Canary[] {
  return textsIn(text).flatMap((value) => (value.includes(PRIVATE_KEY) ? pemCanaries(name, value) : []));
}

/** Its private keys; pieces of it as a whole. */
function canariesOf(name: string, text: string): readonly Canary[] {
  return [...keysIn(name, text), ...piecesOf(name, text)].filter(({ value }) => value.trim().length >= 24);
}

/** What a state says of its resources stands in plans too, for those who may see them; how the file says it stands nowhere else. */
function piecesOf(name: string, text: string): readonly Canary[] {
  if (!text.includes('"terraform_version"')) return excerptCanaries(name, text, 4, Math.min(60, text.length >> 1));
  const places = [...text.matchAll(/"schema_version"/g)].map(({ index }) => index);
  const some = places.filter((_, number) => number % Math.ceil(places.length / 8) === 0);
  return some.map((index) => ({ name: `${name}, from character ${index}`, value: text.slice(index, index + 80) }));
}

/** Every text in a document of JSON or YAML, and what it says in base64. */
function textsIn(text: string): readonly string[] {
  const texts: string[] = [text];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value, Buffer.from(value, 'base64').toString('utf8'));
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  try {
    walk(parse(text));
  } catch {
    // A key file is no document.
  }
  return texts;
}
