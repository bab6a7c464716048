import { badRequest } from '@crate/errors';
import { formatApiVersion } from './api-version.js';
import type { ApiClient } from '../client/api-client.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** What people work with; the rest is records and views. */
const ALL = 'crate';

/** A kind that the platform serves. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** What tells where the objects of a kind are. */
export type Collection = Pick<ServedKind, 'group' | 'version' | 'plural' | 'namespaced'>;

/** The aggregated form. Source: https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery */
interface DiscoveryList {
  readonly items?: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly {
        readonly resource: string;
        readonly responseKind: { readonly kind: string };
        readonly scope: string;
        readonly singularResource?: string;
        readonly verbs: readonly string[];
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

/** What the platform serves, found by the names that people use. */
export class ServedKinds {
  constructor(readonly all: readonly ServedKind[]) {}

  static async load(api: Pick<ApiClient, 'get'>): Promise<ServedKinds> {
    const lists = await Promise.all(['/api', '/apis'].map(async (path) => api.get<DiscoveryList>(path, AGGREGATED)));
    return new ServedKinds(lists.flatMap(kindsOf));
  }

  /** By plural, singular, short name or kind, with or without its group, or by category. Throws BadRequest for what is not served. */
  named(text: string): readonly ServedKind[] {
    const asked = text.toLowerCase();
    const one = this.all.find((kind) => isNamed(kind, asked));
    if (one) return [one];
    const category = asked === 'all' ? ALL : asked;
    const many = this.all.filter((kind) => kind.categories.includes(category)).filter(isListed);
    if (many.length > 0) return many;
    const like = this.all.filter(({ plural }) => plural.startsWith(asked.slice(0, 3))).map(({ plural }) => plural);
    const hint = like.length === 0 ? '' : ` (there is: ${like.join(', ')})`;
    throw badRequest(`The platform serves no kind "${text}"${hint}; see all with: crate api-resources`);
  }

  /** The kind of a document. Throws BadRequest when it is not served. */
  ofDocument(apiVersion: string, kind: string): ServedKind {
    const found = this.all.find(
      (each) => each.kind === kind && formatApiVersion(each.group, each.version) === apiVersion,
    );
    if (found) return found;
    const elsewhere = this.all.find((each) => each.kind === kind);
    const hint = elsewhere
      ? `it is in ${formatApiVersion(elsewhere.group, elsewhere.version)}`
      : `${likeHint(this.all, kind)}see all with: crate api-resources`;
    throw badRequest(`The platform serves no ${kind} in ${apiVersion}; ${hint}`);
  }
}

function likeHint(kinds: readonly ServedKind[], kind: string): string {
  const begin = kind.slice(0, 2).toLowerCase();
  const like = kinds.map((each) => each.kind).filter((each) => each.toLowerCase().startsWith(begin));
  return like.length === 0 ? '' : `there is ${[...new Set(like)].join(', ')}; `;
}

function kindsOf({ items = [] }: DiscoveryList): readonly ServedKind[] {
  return items.flatMap(({ metadata, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map((each) => ({
        group: metadata.name ?? '',
        version,
        kind: each.responseKind.kind,
        plural: each.resource,
        singular: each.singularResource ?? each.responseKind.kind.toLowerCase(),
        shortNames: each.shortNames ?? [],
        categories: each.categories ?? [],
        namespaced: each.scope === 'Namespaced',
        verbs: each.verbs,
        subresources: (each.subresources ?? []).map(({ subresource }) => subresource),
      })),
    ),
  );
}

function isNamed({ plural, singular, shortNames, kind, group, version }: ServedKind, asked: string): boolean {
  const names = [plural, singular, kind.toLowerCase(), ...shortNames];
  const suffixes = ['', `.${group}`, `.${version}.${group}`];
  return suffixes.some(
    (suffix) => asked.endsWith(suffix) && names.includes(asked.slice(0, asked.length - suffix.length)),
  );
}

function isListed({ verbs }: ServedKind): boolean {
  return verbs.includes('list');
}

/** The kind as a person writes it where it must be clear, such as `cluster.lifecycle.crate.dev`. */
export function fullName({ singular, group }: ServedKind): string {
  return group === '' ? singular : `${singular}.${group}`;
}

/** The path of the collection; of all Projects when no namespace is given. */
export function collectionPath(kind: Collection, namespace?: string): string {
  const base = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope = kind.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${base}${scope}/${kind.plural}`;
}

/** The path of one object. */
export function objectPathOf(kind: ServedKind, name: string, namespace: string): string {
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
}
