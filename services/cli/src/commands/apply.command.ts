import { Command, Option } from 'commander';
import type { KubeObject } from '@crate/api';
import { badRequest } from '@crate/errors';
import { applyManifest, type Applied } from '../objects/apply.js';
import { readManifests, type Manifest } from '../objects/manifests.js';
import { nameOf, objectsText, parseObjectFormat, type ObjectFormat } from '../objects/object-output.js';
import { collectionPath, ServedKinds } from '../objects/served-kinds.js';
import { Failures } from '../output/failures.js';
import type { ApiClient } from '../client/api-client.js';
import {
  contextOf,
  withApiOptions,
  withNamespaceOption,
  type ApiOptions,
  type NamespaceOption,
} from './api-options.js';

/** Options of commands that take files. */
export interface FileOptions extends ApiOptions, NamespaceOption {
  readonly filename: readonly string[];
}

interface WriteOptions extends FileOptions {
  readonly dryRun?: 'server';
  readonly forceConflicts?: true;
  readonly output?: ObjectFormat;
}

/** `crate apply`: has objects be as files say, again and again. */
export function applyCommand(): Command {
  return writing(
    new Command('apply').description('Create or change objects so that they are as files say (server-side apply)'),
  )
    .option('--force-conflicts', 'take over fields that somebody else has set')
    .action(async (options: WriteOptions) => {
      const settings = { dryRun: options.dryRun !== undefined, force: options.forceConflicts === true };
      await writeAll(options, async (api, manifest) => applyManifest(api, manifest, settings));
    });
}

/** `crate create`: objects that are not there yet. */
export function createCommand(): Command {
  return writing(
    new Command('create').description('Create objects from files; what is there already is left alone and told'),
  ).action(async (options: WriteOptions) => {
    const query = `?fieldManager=crate-cli${options.dryRun ? '&dryRun=All' : ''}`;
    await writeAll(options, async (api, { kind, namespace, document }) => ({
      object: await api.create<KubeObject>(`${collectionPath(kind, namespace)}${query}`, document),
      outcome: 'created',
    }));
  });
}

function writing(command: Command): Command {
  return withApiOptions(withFileOption(withNamespaceOption(command)))
    .addOption(
      new Option('--dry-run <where>', 'check it and say what it would lead to, and change nothing').choices(['server']),
    )
    .option('-o, --output <format>', 'print the objects as json, yaml, name or jsonpath=…', parseObjectFormat);
}

/** Adds `-f`. */
export function withFileOption(command: Command): Command {
  return command.requiredOption(
    '-f, --filename <file>',
    'YAML or JSON: a file, a folder, or - for the standard input; may be repeated',
    (value: string, before: readonly string[] = []) => [...before, value],
  );
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
