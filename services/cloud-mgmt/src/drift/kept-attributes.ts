import type { KeptAttribute } from '@crate/api';

type Json = Readonly<Record<string, unknown>>;

/**
 * The configuration with what was kept left to whoever changed it: Terraform ignores changes of it. Pure.
 * Source: https://developer.hashicorp.com/terraform/language/meta-arguments/lifecycle#ignore_changes
 */
export function withKept(document: Json, kept: readonly KeptAttribute[]): Json {
  if (kept.length === 0) return document;
  const resources = Object.entries(asObject(document['resource'])).map(([type, byName]) => [
    type,
    Object.fromEntries(
      Object.entries(asObject(byName)).map(([name, resource]) => {
        const own = kept.filter(({ address }) => address === `${type}.${name}`);
        return [name, own.length === 0 ? resource : ignoring(asObject(resource), own)];
      }),
    ),
  ]);
  return { ...document, resource: Object.fromEntries(resources) as Json };
}

function ignoring(resource: Json, kept: readonly KeptAttribute[]): Json {
  const lifecycle = asObject(resource['lifecycle']);
  const before = Array.isArray(lifecycle['ignore_changes']) ? lifecycle['ignore_changes'].map(String) : [];
  const more = kept.flatMap(({ path }) => references(path));
  return { ...resource, lifecycle: { ...lifecycle, ignore_changes: [...new Set([...before, ...more])] } };
}

/** An attribute as Terraform names it: an entry of a map by its key, and no deeper than an attribute of a block. */
function references(path: string): readonly string[] {
  const block = /^\w+\[\d+\]\.\w+/.exec(path)?.[0];
  if (block !== undefined) return [block];
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return [name];
  const key = JSON.stringify(rest.join('.')).replaceAll(/([$%])\{/g, '$1$1{');
  // The AWS provider plans the tags of a resource a second time, with those of the provider.
  return name === 'tags' ? [`tags[${key}]`, `tags_all[${key}]`] : [`${name}[${key}]`];
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
