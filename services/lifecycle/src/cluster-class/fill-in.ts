import type { JsonObject } from '@crate/api';
import { jsonEqual, valueAt, type FieldError, type FieldPath } from '@crate/resource-server';
import type { CompiledClass } from './class-content.js';
import { formatSpecPath, isImmutable, schemaAt, type SpecPath } from './spec-path.js';
import { SpecTree, type Leaf } from './spec-tree.js';
import type { StatedFields } from './stated-fields.js';

/** What a class, at one revision, gives a cluster with its parameters. */
export interface Given {
  readonly compiled: CompiledClass;
  readonly tree: SpecTree;
}

export interface FillInInput {
  /** The spec as the write has it. */
  readonly spec: unknown;
  readonly stated: StatedFields;
  /** The stored spec, when there is one. */
  readonly live?: SpecTree;
  /** What the class gave the stored spec; absent when it had none, or that cannot be found any more. */
  readonly before?: SpecTree;
  readonly after: Given;
}

/** A spec with everything that its class gives. */
export interface FilledIn {
  readonly tree: SpecTree;
  /** Statements about locked fields; paths begin at the spec. */
  readonly errors: readonly FieldError[];
}

/**
 * Fills in what a spec leaves out, and renews what the class gave before. What anybody stated stays, as does what an
 * existing cluster cannot change. Filling in what is filled in changes nothing.
 */
export function fillIn(input: FillInInput): FilledIn {
  const own = SpecTree.of(input.spec);
  const kept = own.leaves.filter(({ path }) => !isInherited(input, own, path));
  const errors = kept.flatMap((leaf) => lockedErrors(input, leaf));
  const whole = SpecTree.from([...kept.filter((leaf) => !yields(input, leaf)), ...restOfItems(input, own, kept)]);
  // What the class gives stands first, then what is stored, so that no order of a document changes the order of a list.
  const given = input.after.tree.leaves.map((leaf) => present(input, whole, leaf.path) ?? leaf);
  const inPlace = (input.live?.leaves ?? []).filter(({ path }) => whole.has(path));
  const stored = inPlace.map(({ path }) => ({ path, value: whole.at(path) }));
  const tree = SpecTree.from([...given, ...stored, ...whole.leaves, ...unchangeable(input), ...required(own)]);
  return { tree, errors };
}

/** True for what the class gave, or the schema by default, and nobody stated: the class may change it. */
function isInherited({ stated, live, before }: FillInInput, own: SpecTree, path: SpecPath): boolean {
  if (!live || isImmutable(path) || !own.agrees(live, path) || stated.has(path)) return false;
  if (before?.has(path)) return own.agrees(before, path);
  const { default: byDefault } = schemaAt(path) ?? {};
  return byDefault !== undefined && jsonEqual(byDefault, own.at(path));
}

/** A locked field that the class gives follows the class, whoever stated it before. */
function yields({ after, live }: FillInInput, { path }: Leaf): boolean {
  return after.compiled.isLocked(path) && after.tree.has(path) && !(live && isImmutable(path));
}

/** Stating a locked field anew is a mistake, unless it says what the class says. */
function lockedErrors({ spec, after, live }: FillInInput, { path, value }: Leaf): readonly FieldError[] {
  if (!after.compiled.isLocked(path)) return [];
  const wanted = after.tree.at(path) ?? schemaAt(path)?.default;
  if (jsonEqual(value, wanted) || jsonEqual(value, live?.at(path))) return [];
  const hint = wanted === undefined ? 'leave it out' : `leave it out, it is ${JSON.stringify(wanted)}`;
  const owner = JSON.stringify(valueAt(spec, ['classRef', 'name']));
  const detail = `ClusterClass ${owner} locks this field: ${hint}`;
  return [{ path: fieldPath(spec, path), value, reason: 'FieldValueForbidden', detail }];
}

/** The path as errors have it: items by where they stand. */
function fieldPath(spec: unknown, path: SpecPath): FieldPath {
  return path.map((step, index): string | number => {
    if (typeof step === 'string') return step;
    const items = valueAt(spec, path.slice(0, index) as FieldPath) as readonly { readonly name: string }[];
    return items.findIndex(({ name }) => name === step.item);
  });
}

/** Of an item that the class does not give any more but somebody stated a part of, all stays as it is. */
function restOfItems({ before, after }: FillInInput, own: SpecTree, kept: readonly Leaf[]): readonly Leaf[] {
  const items = new Set(kept.map(({ path }) => itemOf(path)).filter((item) => item !== undefined));
  return own.leaves.filter(({ path }) => {
    const item = itemOf(path);
    return (
      item !== undefined && items.has(item) && !after.tree.has([...path.slice(0, 2), 'name']) && before !== undefined
    );
  });
}

function itemOf(path: SpecPath): string | undefined {
  return typeof path[1] === 'object' ? formatSpecPath(path.slice(0, 2)) : undefined;
}

function present({ live }: FillInInput, whole: SpecTree, path: SpecPath): Leaf | undefined {
  if (whole.has(path)) return { path, value: whole.at(path) };
  return live && isImmutable(path) && live.has(path) ? { path, value: live.at(path) } : undefined;
}

function unchangeable({ live }: FillInInput): readonly Leaf[] {
  return (live?.leaves ?? []).filter(({ path }) => isImmutable(path));
}

/** Without a version there is no cluster, so one that the class stopped to state stays. */
function required(own: SpecTree): readonly Leaf[] {
  const path = ['kubernetes', 'version'];
  return own.has(path) ? [{ path, value: own.at(path) }] : [];
}

/** The spec as it is stored: the leaves, and what says how it came by them. */
export function specOf(tree: SpecTree, stated: JsonObject, revision: number): JsonObject {
  const { classRef, parameters } = stated;
  const ref = { ...(classRef as JsonObject), revision };
  return { ...tree.toSpec(), classRef: ref, ...(parameters === undefined ? {} : { parameters }) };
}
