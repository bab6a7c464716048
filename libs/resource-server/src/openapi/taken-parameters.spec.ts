import { CLUSTER, LOGS_SUBRESOURCE } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kindInfoOf } from '../kinds/kind-info.js';
import { wholeDocument } from './document.js';

const HTTP = fileURLToPath(new URL('../http', import.meta.url));
/** How the query of a request is read. */
const READ = /\b(?:parameter|flag|wholeNumber|oneOf)\([\w.]+, '(\w+)'|\b[qQ]uery\.(?:get|getAll|has)\('(\w+)'/g;
/** Tells caches apart, and is in links only. */
const UNSAID = ['hash'];

async function taken(): Promise<ReadonlySet<string>> {
  const files = (await readdir(HTTP, { recursive: true })).filter((name) => /(?<!\.spec)\.ts$/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(HTTP, name), 'utf8')));
  return new Set(texts.flatMap((text) => [...text.matchAll(READ)].map(([, called, got]) => called ?? got ?? '')));
}

/** Names of parameters, wherever in the document they are. */
function declared(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(declared);
  if (typeof value !== 'object' || value === null) return [];
  const { in: place, name } = value as { in?: unknown; name?: unknown };
  return [...(place === 'query' ? [String(name)] : []), ...Object.values(value).flatMap(declared)];
}

describe('the parameters of the document', () => {
  it('are those that are read', async () => {
    const names = await taken();
    expect(names.size).toBeGreaterThan(20);
    const kind = kindInfoOf({ ...CLUSTER, subresources: [...CLUSTER.subresources, LOGS_SUBRESOURCE] });
    const known = new Set(declared(wholeDocument({ kinds: [kind] }, { title: 'Test', version: 'v1' })));
    expect([...names].filter((name) => !known.has(name) && !UNSAID.includes(name))).toEqual([]);
  });
});
