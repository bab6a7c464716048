import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import type { Block } from '../terraform/schema.js';
import { DATA_SOURCES, RESOURCE_TYPES } from './catalog.js';

const requireHere = createRequire(import.meta.url);

/** What the bindings of the real provider say about a type; read as text, because only infra/ may load them. */
function bindingOf(name: string): string {
  const folder = name.replace(/^aws_/, '').replaceAll('_', '-');
  return readFileSync(requireHere.resolve(`@cdktn/provider-aws/lib/${folder}/index.js`), 'utf8');
}

/** Names in the real schema: those that can be configured, and those that can be read. */
function realNames(binding: string): Set<string> {
  const configured = [...binding.matchAll(/^ {6,12}([a-z0-9_]+): (?:cdktn\.|[a-z]\w+ToTerraform)/gm)];
  const read = [...binding.matchAll(/get\w*Attribute\('([a-z0-9_]+)'\)/g)];
  const blocks = [...binding.matchAll(/\(this, "([a-z0-9_]+)"/g)];
  return new Set([...configured, ...read, ...blocks].map(([, name = '']) => name));
}

function namesOf(block: Block): string[] {
  const nested = Object.entries(block.blocks ?? {}).flatMap(([name, { block: inner }]) => [name, ...namesOf(inner)]);
  return [...Object.keys(block.attributes), ...nested];
}

const types = [
  ...[...RESOURCE_TYPES.values()].map(({ name, block }) => ({ name, block, real: bindingOf(name) })),
  ...[...DATA_SOURCES.values()].map(({ name, block }) => ({ name, block, real: bindingOf(`data_${name}`) })),
];

describe('the simulated provider', () => {
  it.each(types)('has no attribute of $name that the real one has not', ({ block, real }) => {
    const known = realNames(real);

    expect(known.size).toBeGreaterThan(3);
    expect(namesOf(block).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each([...RESOURCE_TYPES.values()])('knows what the references of $name lead to', ({ references = [] }) => {
    for (const { type } of references) expect(RESOURCE_TYPES.has(type)).toBe(true);
  });

  it.each([...RESOURCE_TYPES.values()])('can refuse to delete a $name that others need', ({ name, inUse }) => {
    const needed = [...RESOURCE_TYPES.values()]
      .flatMap(({ references = [] }) => references)
      .some(({ type, onDelete }) => type === name && onDelete === 'refuse');

    expect(inUse !== undefined || !needed).toBe(true);
  });
});
