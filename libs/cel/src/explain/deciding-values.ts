import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import type { Bindings } from '../expression.js';
import { firstOf, rootOf, Scope, type Outcome } from './scope.js';

/** A part of an expression, as it is written, and what it came to. */
export type DecidingValue = Outcome & { readonly source: string };

/** Beyond this an explanation explains nothing. */
const MOST = 40;

/** Parses whatever compiles: names and functions are looked up when a part is worked out. */
const syntax = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true });

/**
 * The parts of a condition that made it what it is, in the order they are written: of `a && b` that is false the sides
 * that are false, of `list.all(x, …)` the first item that does not satisfy it, and of all these the members that were
 * looked at. Of an expression that does not compile nothing. Bounded, but not in time.
 */
export function decidingValues(source: string, bindings: Bindings): readonly DecidingValue[] {
  const found = new Map<string, DecidingValue>();
  try {
    new Walk((value) => found.size < MOST && found.set(value.source, found.get(value.source) ?? value)).condition(
      syntax.parse(source).ast,
      Scope.of(bindings),
    );
  } catch {
    return []; // Whoever compiles it says why.
  }
  return [...found.values()];
}

class Walk {
  constructor(private readonly found: (value: DecidingValue) => unknown) {}

  /** What made a condition true or false. Its own value is known to whoever asks. */
  condition(node: ASTNode, scope: Scope): void {
    switch (node.op) {
      case '&&':
      case '||':
        return this.sides(node.args, scope, node.op === '||');
      case '!_':
        return this.condition(node.args, scope);
      case '?:': {
        const [test, yes, no] = node.args;
        this.condition(test, scope);
        return this.condition(scope.valueOf(test) === true ? yes : no, scope);
      }
      case 'rcall':
        return this.called(node, scope);
      default:
        return this.isPath(node) || this.isHas(node) ? this.tell(node, scope) : this.parts(node, scope);
    }
  }

  /** Of sides that do not all agree, those count that decide. */
  private sides(sides: readonly ASTNode[], scope: Scope, deciding: boolean): void {
    const decided = sides.filter((side) => scope.valueOf(side) === deciding);
    for (const side of decided.length > 0 ? decided : sides) this.condition(side, scope);
  }

  private called(node: ASTNode & { readonly op: 'rcall' }, scope: Scope): void {
    const [name, receiver, args] = node.args;
    const body = args.at(-1);
    const names = args.slice(0, -1).flatMap((each) => (each.op === 'id' ? [each.args] : []));
    if (names.length === 0 || !body) return this.parts(node, scope);
    if (name === 'bind') return this.bound(args, scope);
    if (name !== 'all' && name !== 'exists') return this.parts(node, scope);
    const scopes = this.scopesOf(receiver, scope, names);
    const decisive = scopes.find((within) => within.valueOf(body) === (name === 'exists'));
    if (decisive) return this.condition(body, decisive);
    if (scopes.length !== 1 && receiver.op !== 'list') return this.term(receiver, scope);
    for (const within of scopes) this.condition(body, within);
  }

  private scopesOf(receiver: ASTNode, scope: Scope, [first = '', second]: readonly string[]): readonly Scope[] {
    return second === undefined ? this.itemsOf(receiver, scope, first) : this.pairsOf(receiver, scope, [first, second]);
  }

  /** A scope for each item. Keys of a map have no place. */
  private itemsOf(receiver: ASTNode, scope: Scope, name: string): readonly Scope[] {
    const value = scope.valueOf(receiver);
    const hasPlaces = Array.isArray(value) && firstOf(receiver) !== undefined;
    return listOf(value).map((item, index) =>
      scope.with(name, item, hasPlaces ? `${scope.describe(receiver)}[${index}]` : keyText(receiver, item)),
    );
  }

  /** A scope for each index and item, or key and value. */
  private pairsOf(receiver: ASTNode, scope: Scope, [first, second]: readonly [string, string]): readonly Scope[] {
    const hasPlaces = firstOf(receiver) !== undefined;
    return pairsOf(scope.valueOf(receiver)).map(([key, value]) => {
      const place = `${scope.describe(receiver)}[${typeof key === 'bigint' ? String(key) : JSON.stringify(key)}]`;
      return scope.with(first, key).with(second, value, hasPlaces ? place : undefined);
    });
  }

  /** `cel.bind(name, value, body)`. */
  private bound([variable, value, body]: readonly ASTNode[], scope: Scope): void {
    if (variable?.op !== 'id' || !value || !body) return;
    this.term(value, scope);
    const place = this.isPath(value) ? scope.describe(value) : undefined;
    this.condition(body, scope.with(variable.args, scope.valueOf(value), place));
  }

  /** A part that is no condition: a path is told as it is, anything else with what it is made of. */
  private term(node: ASTNode, scope: Scope): void {
    if (node.op === 'value') return;
    const isWritten = node.op === 'list' || node.op === 'map';
    if (!isWritten && !isDefault(node)) this.tell(node, scope);
    if (!this.isPath(node) && !this.isHas(node)) this.parts(node, scope);
  }

  private parts(node: ASTNode, scope: Scope): void {
    for (const part of partsOf(node)) this.term(part, scope);
  }

  /** What cannot be compiled alone, such as the name of an item, is told by what it is part of. */
  private tell(node: ASTNode, scope: Scope): void {
    const outcome = scope.evaluate(node);
    this.found({ ...outcome, source: scope.describe(node) });
    for (const key of keysOf(node)) if (!scope.isWrittenOut(key)) this.term(key, scope);
  }

  private isPath(node: ASTNode): boolean {
    return rootOf(node) !== undefined;
  }

  private isHas(node: ASTNode): boolean {
    return node.op === 'call' && node.args[0] === 'has';
  }
}

/** Items that are written out stand for themselves. */
function keyText(receiver: ASTNode, item: unknown): string | undefined {
  return receiver.op === 'list' && typeof item === 'string' ? JSON.stringify(item) : undefined;
}

/** `a.?b.orValue(1)` and `a.?b.hasValue()` say no more than `a.?b` does. */
function isDefault(node: ASTNode): boolean {
  if (node.op !== 'rcall') return false;
  const [name, receiver, [otherwise]] = node.args;
  const isPlain = otherwise === undefined || isLiteral(otherwise);
  return (name === 'orValue' || name === 'hasValue') && isPlain && rootOf(receiver) !== undefined;
}

function isLiteral(node: ASTNode): boolean {
  return node.op === 'value' || ((node.op === 'list' || node.op === 'map') && node.args.length === 0);
}

/** What stands in the brackets of a path, such as `key` in `labels[key]`. */
function keysOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case '.':
    case '.?':
      return keysOf(node.args[0]);
    case '[]':
    case '[?]':
      return [...keysOf(node.args[0]), node.args[1]];
    default:
      return [];
  }
}

/** Names of CEL's own, which are no values. */
const NAMESPACES = new Set(['cel', 'math', 'sets', 'strings', 'base64', 'optional', 'ip', 'format', 'cidr', 'url']);

function partsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case 'call':
      return node.args[1];
    case 'rcall':
      return partsOfCall(node);
    case 'map':
      return node.args.flat();
    default: {
      const parts: readonly unknown[] = Array.isArray(node.args) ? node.args : [node.args];
      return parts.filter((part): part is ASTNode => typeof part === 'object');
    }
  }
}

function partsOfCall(node: ASTNode & { readonly op: 'rcall' }): readonly ASTNode[] {
  const [, receiver, args] = node.args;
  // The body of a macro over items has names that are bound inside only.
  const isMacro = args.length > 1 && args[0]?.op === 'id';
  const isNamespace = receiver.op === 'id' && NAMESPACES.has(receiver.args);
  return [...(isNamespace ? [] : [receiver]), ...(isMacro ? [] : args)];
}

/** Macros go over the keys of a map. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (value instanceof Map) return [...value.keys()];
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** Macros over two variables go over indices and items, or keys and values. */
function pairsOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [BigInt(index), item] as const);
  if (value instanceof Map) return [...value];
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
