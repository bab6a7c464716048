import { badRequest } from '@crate/errors';
import { mappingOf, readYamlFile, STANDARD_INPUT } from '../policy/yaml-files.js';
import { manifestFilesAt } from './manifest-files.js';
import { objectPathOf, type ServedKind, type ServedKinds } from './served-kinds.js';

/** A document of a file, and where its object is. */
export interface Manifest {
  readonly document: Readonly<Record<string, unknown>>;
  readonly kind: ServedKind;
  readonly name: string;
  readonly namespace: string;
  readonly path: string;
  /** For people: file and place in it. */
  readonly source: string;
}

interface Place {
  readonly kinds: ServedKinds;
  /** The Project of documents that name none. */
  readonly namespace: string;
  /** Whether that was asked for: then no document may name another one. */
  readonly isStated: boolean;
}

/**
 * The documents of files, folders and the standard input (`-`); those of a List one by one. What others lie in comes
 * first: Projects and other things of all of them. Throws BadRequest that names file and field.
 */
export async function readManifests(paths: readonly string[], place: Place): Promise<readonly Manifest[]> {
  const files = await Promise.all(paths.map(manifestFilesAt));
  const found: Manifest[] = [];
  for (const path of files.flat()) {
    const { documents } = await readYamlFile(path);
    const all = documents.flatMap(itemsOf);
    found.push(...all.map((document, index) => manifestOf(document, `${shown(path)}, document ${index + 1}`, place)));
  }
  if (found.length === 0) throw badRequest(`There is no document in ${paths.map(shown).join(', ')}`);
  return [...found.filter(({ kind }) => !kind.namespaced), ...found.filter(({ kind }) => kind.namespaced)];
}

function shown(path: string): string {
  return path === STANDARD_INPUT ? 'the standard input' : path;
}

function itemsOf(document: unknown): readonly unknown[] {
  const { kind, items } = mappingOf(document) ?? {};
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : [document];
}

function manifestOf(value: unknown, source: string, place: Place): Manifest {
  const document = mappingOf(value);
  if (!document) throw badRequest(`${source}: expected an object with apiVersion, kind and metadata`);
  const metadata = mappingOf(document['metadata']) ?? {};
  const [apiVersion, kindName, name] = [
    textAt(document, 'apiVersion', source),
    textAt(document, 'kind', source),
    textAt(metadata, 'name', source, 'metadata.name'),
  ];
  const kind = place.kinds.ofDocument(apiVersion, kindName);
  const namespace = namespaceOf(metadata['namespace'], source, place);
  const path = objectPathOf(kind, name, namespace);
  const body = kind.namespaced ? { ...document, metadata: { ...metadata, namespace } } : document;
  return { document: body, kind, name, namespace, path, source };
}

function textAt(mapping: Readonly<Record<string, unknown>>, key: string, source: string, field = key): string {
  const value = mapping[key];
  if (typeof value === 'string' && value !== '') return value;
  throw badRequest(`${source}: ${field} must be a text that is not empty`);
}

function namespaceOf(stated: unknown, source: string, { namespace, isStated }: Place): string {
  if (stated === undefined || stated === null) return namespace;
  if (typeof stated !== 'string') throw badRequest(`${source}: metadata.namespace must be a text`);
  if (isStated && stated !== namespace) {
    throw badRequest(`${source}: metadata.namespace is "${stated}" and -n says "${namespace}": leave one of them out`);
  }
  return stated;
}
