import { isMap, isPair, isScalar, isSeq, type Document, type Node, type Pair } from 'yaml';
import type { FieldPath } from './json-schema.js';

/** Part of a text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A list item by what it holds, as in `nodePools[name=workers]`. */
interface ItemSelector {
  readonly key: string;
  readonly value: string;
}

type Step = string | number | ItemSelector;

/** Reads a field as the API names it, such as `spec.nodePools[0].name`, `nodePools[name=workers]` or `labels["a.b/c"]`. */
export function parseField(field: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, name, bracket] of field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (name !== undefined) steps.push(name);
    else if (bracket !== undefined) steps.push(bracketStep(bracket));
  }
  return steps;
}

function bracketStep(text: string): Step {
  if (/^\d+$/.test(text)) return Number(text);
  const quoted = /^"(.*)"$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  return key === undefined ? text : { key, value: value ?? '' };
}

/** Where a field stands in a document; where it is absent, the nearest thing around it that is there. */
export function rangeOfField(document: Document.Parsed, field: string): TextRange {
  return rangeOfSteps(document, parseField(field));
}

/** Where something stands in a document; where it is absent, the nearest thing around it that is there. */
export function rangeOfPath(document: Document.Parsed, path: FieldPath): TextRange {
  return rangeOfSteps(document, path);
}

function rangeOfSteps(document: Document.Parsed, steps: readonly Step[]): TextRange {
  let node: unknown = document.contents;
  let range: TextRange = { from: 0, to: 0 };
  for (const step of steps) {
    const found = childOf(node, step);
    if (!found) break;
    node = isPair(found) ? found.value : found;
    range = rangeOf(found) ?? range;
  }
  return range;
}

function childOf(node: unknown, step: Step): Pair | Node | undefined {
  if (isMap(node) && typeof step !== 'object')
    return node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  if (!isSeq(node)) return undefined;
  const item =
    typeof step === 'object'
      ? node.items.find((each) => isMap(each) && String(each.get(step.key)) === step.value)
      : node.items[Number(step)];
  return item as Node | undefined;
}

/** Of a scalar the value, of anything longer the key: a whole block under a wave helps nobody. */
function rangeOf(found: Pair | Node): TextRange | undefined {
  if (!isPair(found)) return firstLineOf(found);
  const value = found.value as Node | null;
  const isShort = isScalar(value) && value.range && value.range[1] > value.range[0];
  return rangeOfNode((isShort ? value : found.key) as Node | null);
}

function firstLineOf(node: Node): TextRange | undefined {
  const first = isMap(node) ? (node.items[0]?.key as Node | null | undefined) : node;
  return rangeOfNode(first ?? node);
}

function rangeOfNode(node: Node | null): TextRange | undefined {
  return node?.range ? { from: node.range[0], to: node.range[1] } : undefined;
}

/** The path of the key or value at an offset; undefined between things. */
export function pathAtOffset(document: Document.Parsed, offset: number): FieldPath | undefined {
  const path: (string | number)[] = [];
  let node: unknown = document.contents;
  for (;;) {
    const step = stepTo(node, offset);
    if (!step) return path.length > 0 ? path : undefined;
    path.push(step.key);
    if (step.isKey) return path;
    node = step.value;
  }
}

function stepTo(
  node: unknown,
  offset: number,
): { readonly key: string | number; readonly isKey: boolean; readonly value: unknown } | undefined {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const isKey = holds(key, offset);
      if (isKey || holds(value as Node | null, offset)) return { key: String(key.value), isKey, value };
    }
  }
  if (isSeq(node)) {
    const index = node.items.findIndex((item) => holds(item as Node, offset));
    if (index >= 0) return { key: index, isKey: false, value: node.items[index] };
  }
  return undefined;
}

function holds(node: Node | null, offset: number): boolean {
  return !!node?.range && node.range[0] <= offset && offset <= node.range[1];
}
