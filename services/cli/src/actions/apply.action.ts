import type { KubeObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import { applyManifest, type Applied } from '../objects/apply.js';
import { readManifests, type Manifest } from '../objects/manifests.js';
import { nameOf, objectsText } from '../objects/object-output.js';
import type { ObjectFormat } from '../objects/object-format.js';
import { collectionPath, ServedKinds } from '../objects/served-kinds.js';
import { Failures } from '../output/failures.js';
import type { ApiClient } from '../client/api-client.js';
import { contextOf } from '../client/context.js';
import type { ApiOptions, NamespaceOption } from '../commands/api-options.js';

/** Options of commands that take files. */
export interface FileOptions extends ApiOptions, NamespaceOption {
  readonly filename: readonly string[];
}

interface WriteOptions extends FileOptions {
  readonly dryRun?: 'server';
  readonly forceConflicts?: true;
  readonly output?: ObjectFormat;
}

export async function runApply(options: WriteOptions): Promise<void> {
  const settings = { dryRun: options.dryRun !== undefined, force: options.forceConflicts === true };
  await writeAll(options, async (api, manifest) => applyManifest(api, manifest, settings));
}

export async function runCreate(options: WriteOptions): Promise<void> {
  const query = `?fieldManager=crate-cli${options.dryRun ? '&dryRun=All' : ''}`;
  await writeAll(options, async (api, { kind, namespace, document }) => ({
    object: await api.create<KubeObject>(`${collectionPath(kind, namespace)}${query}`, document),
    outcome: 'created',
  }));
}

/** The documents of `-f`, and the API that they are for. */
export async function manifestsOf(
  options: FileOptions,
): Promise<{ readonly api: ApiClient; readonly manifests: readonly Manifest[] }> {
  const { api, namespace } = await contextOf(options);
  const kinds = await ServedKinds.load(api);
  const isStated = options.namespace !== undefined;
  return { api, manifests: await readManifests(options.filename, { kinds, namespace, isStated }) };
}

async function writeAll(
  options: WriteOptions,
  write: (api: ApiClient, manifest: Manifest) => Promise<Applied>,
): Promise<void> {
  const { output, dryRun } = options;
  if (output === 'table' || output === 'wide')
    throw badRequest('Objects are printed as json, yaml, name or jsonpath=…');
  const { api, manifests } = await manifestsOf(options);
  const failures = new Failures();
  const written: KubeObject[] = [];
  for (const manifest of manifests) {
    const what = `${manifest.kind.singular}/${manifest.name} (${manifest.source})`;
    const done = await failures.attempt(what, async () => write(api, manifest));
    if (!done) continue;
    written.push(done.object);
    if (output === undefined) console.log(`${nameOf(done.object)} ${done.outcome}${dryRun ? ' (dry run)' : ''}`);
  }
  const isOne = manifests.length === 1;
  if (output !== undefined && written.length > 0) process.stdout.write(objectsText(output, written, { isOne }));
  failures.settle();
}
