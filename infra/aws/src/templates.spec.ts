import { describe, expect, it } from '@jest/globals';
import { emptyAwsStack } from './empty-stack.js';
import { synthesizeAwsCluster } from './synthesize.js';
import { literally } from './templates.js';
import { anInput } from './testing/an-input.js';

/** What would be evaluated by itself, what would be where quotes are left open, and what would be where an expression goes on. */
const HOSTILE = ['${file("/proc/1/environ")}', '%{ if true }', '", file("/proc/1/environ"), "', '\\', '[file("/x")]'];

const INPUT = anInput({
  network: { ...anInput().network, loadBalancerPorts: [{ port: 443, nodePort: 30_443 }] },
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
});

type Path = readonly string[];

/** Where texts are. */
function textsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => textsOf(entry, [...path, key]));
}

function withMore(value: unknown, [key, ...rest]: Path, more: string): unknown {
  if (key === undefined) return `${value as string}${more}`;
  const entries = Object.entries(value as Record<string, unknown>);
  const changed = entries.map(([name, entry]) => [name, name === key ? withMore(entry, rest, more) : entry] as const);
  return Array.isArray(value) ? changed.map(([, entry]) => entry) : Object.fromEntries(changed);
}

/** What of a document Terraform evaluates, keys included. */
function templatesIn(document: unknown): string[] {
  if (typeof document === 'string') {
    const found = document.match(/(?<!\$)\$\{.*|(?<!%)%\{.*/gs) ?? [];
    return found.map((text) => text.replaceAll(/"[a-z0-9-]+"/g, '"<text>"'));
  }
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([key, entry]) => [...templatesIn(key), ...templatesIn(entry)]);
}

/** All different ones of the stack; 'refused' where there is none. */
function written(input: unknown): readonly string[] | 'refused' {
  try {
    return [...new Set(templatesIn(synthesizeAwsCluster(input as typeof INPUT).document))].sort();
  } catch {
    return 'refused';
  }
}

describe('texts of the input', () => {
  const own = written(INPUT);

  it.each(textsOf(INPUT).map((path) => ({ path, field: path.join('.') })))(
    'are never evaluated: $field',
    ({ path }) => {
      for (const more of HOSTILE) expect([own, 'refused']).toContainEqual(written(withMore(INPUT, path, more)));
    },
  );

  it('reach the cloud as they are', () => {
    const permissionsBoundary = `arn:aws:iam::123456789012:policy/${HOSTILE[0]}`;
    const { document } = synthesizeAwsCluster({ ...INPUT, permissionsBoundary });

    expect(JSON.stringify(document)).toContain(JSON.stringify(`policy/$${HOSTILE[0]}`).slice(1, -1));
  });

  it.each(['clusterName', 'machineGroups.0.name'])('are refused where they name a part of the stack: %s', (field) => {
    for (const more of HOSTILE) expect(written(withMore(INPUT, field.split('.'), more))).toBe('refused');
  });

  it('are never evaluated where there is nothing but a provider', () => {
    const document = emptyAwsStack({ region: `eu-west-1${HOSTILE[0]}`, accountId: HOSTILE[1] ?? '' });
    expect(templatesIn(document)).toEqual([]);
  });
});

describe('literally', () => {
  it('takes every text for what it says, and leaves all else as it is', () => {
    expect(literally({ a: ['${x}', 1, null, { b: '%{x} $x {y} $${z}', c: true }] })).toEqual({
      a: ['$${x}', 1, null, { b: '%%{x} $x {y} $$${z}', c: true }],
    });
  });
});
