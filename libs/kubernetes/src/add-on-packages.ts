import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ADD_ON, apiVersionOf, type AddOn } from '@crate/api';
import { invalidSpec, type ErrorCause } from '@crate/errors';
import { parse, parseAllDocuments } from 'yaml';

/** An AddOn as a package states it, ready to be stored in the catalogue. */
export interface AddOnDraft {
  readonly apiVersion: string;
  readonly kind: 'AddOn';
  readonly metadata: { readonly name: string };
  readonly spec: AddOn['spec'];
}

/**
 * Reads the add-on packages of a folder: one folder each, named after the add-on, with `package.yaml`
 * (an AddOn's spec without manifests) and `manifests/*.yaml` (applied in the order of file names).
 * Dependencies come before what depends on them. Throws InvalidSpec naming every mistake by file.
 */
export async function loadAddOnPackages(directory: string): Promise<readonly AddOnDraft[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const causes: ErrorCause[] = [];
  const drafts: AddOnDraft[] = [];
  for (const folder of folders.sort()) {
    const draft = await loadPackage(join(directory, folder), causes);
    if (draft) drafts.push(draft);
  }
  const sorted = dependencyOrder(drafts, causes);
  if (causes.length > 0) throw invalidSpec('Add-on packages are malformed', causes, { kind: 'AddOn' });
  return sorted;
}

async function loadPackage(folder: string, causes: ErrorCause[]): Promise<AddOnDraft | undefined> {
  const name = basename(folder);
  const spec: unknown = await readYaml(join(folder, 'package.yaml'), causes, (text) => parse(text) as unknown);
  const manifests = await loadManifests(join(folder, 'manifests'), causes);
  if (typeof spec !== 'object' || spec === null || !manifests) return undefined;
  const parsed = ADD_ON.body.safeParse({ spec: { ...spec, manifests } });
  if (parsed.success) {
    const body = parsed.data as Pick<AddOn, 'spec'>;
    return { apiVersion: apiVersionOf(ADD_ON), kind: 'AddOn', metadata: { name }, spec: body.spec };
  }
  for (const issue of parsed.error.issues) {
    causes.push({ reason: 'FieldValueInvalid', field: `${name}: ${issue.path.join('.')}`, message: issue.message });
  }
  return undefined;
}

async function loadManifests(folder: string, causes: ErrorCause[]): Promise<readonly unknown[] | undefined> {
  const files = (await readdir(folder)).filter((file) => /\.ya?ml$/.test(file)).sort();
  const manifests: unknown[] = [];
  for (const file of files) {
    const documents = await readYaml(join(folder, file), causes, parseDocuments);
    if (!documents) return undefined;
    manifests.push(...documents);
  }
  return manifests;
}

function parseDocuments(text: string): readonly unknown[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [error] = document.errors;
      if (error) throw error;
      return document.toJS() as unknown;
    })
    .filter((document) => document !== null);
}

async function readYaml<T>(file: string, causes: ErrorCause[], read: (text: string) => T): Promise<T | undefined> {
  try {
    return read(await readFile(file, 'utf8'));
  } catch (error) {
    causes.push({ reason: 'Unreadable', field: file, message: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

function dependencyOrder(drafts: readonly AddOnDraft[], causes: ErrorCause[]): readonly AddOnDraft[] {
  const sorted: AddOnDraft[] = [];
  let left = [...drafts];
  while (left.length > 0) {
    const isPlaced = (name: string): boolean => sorted.some((draft) => draft.metadata.name === name);
    const placeable = left.filter((draft) => draft.spec.dependsOn.every(isPlaced));
    if (placeable.length === 0) break;
    sorted.push(...placeable);
    left = left.filter((draft) => !placeable.includes(draft));
  }
  for (const { metadata, spec } of left) {
    const message = `${spec.dependsOn.join(', ')} is missing, or depends on it in turn`;
    causes.push({ reason: 'FieldValueInvalid', field: `${metadata.name}: spec.dependsOn`, message });
  }
  return sorted;
}
