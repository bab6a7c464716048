import type { SimpleTest } from '@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js';
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js';
import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';

/** What a vector must come to: a value in the form of `canonical`, or any error. */
export type Wanted = { readonly value: string } | 'error';

/** One test of the CEL specification. Source: https://github.com/google/cel-spec/tree/master/tests */
export interface Vector {
  /** File that it is from, such as `string_ext`. */
  readonly section: string;
  readonly name: string;
  readonly source: string;
  readonly bindings: Readonly<Record<string, unknown>>;
  readonly variables: readonly string[];
  /** Undefined for what has no meaning here: protocol buffers, containers of names, and checks without an evaluation. */
  readonly wanted: Wanted | undefined;
}

export function vectors(): readonly Vector[] {
  return getConformanceSuite().suites.flatMap((suite) => vectorsOf(suite, []));
}

function vectorsOf(suite: IncrementalTestSuite, above: readonly string[]): readonly Vector[] {
  const path = [...above, suite.name];
  const own = suite.tests.map(({ name, original }) => vectorOf(original, path[0] ?? '', [...path.slice(1), name]));
  return [...own, ...suite.suites.flatMap((each) => vectorsOf(each, path))];
}

function vectorOf(test: SimpleTest, section: string, path: readonly string[]): Vector {
  const bound = Object.entries(test.bindings).map(([name, { kind }]) => {
    return [name, kind.case === 'value' ? valueOf(kind.value) : undefined] as const;
  });
  return {
    section,
    name: path.join('/'),
    source: test.expr,
    bindings: Object.fromEntries(bound),
    variables: [...new Set([...test.typeEnv.map(({ name }) => name), ...Object.keys(test.bindings)])],
    wanted: hasMeaning(test) ? wantedOf(test) : undefined,
  };
}

function hasMeaning({ expr, container, disableMacros, checkOnly, typeEnv }: SimpleTest): boolean {
  const needsMessages = /TestAll|google\.protobuf|cel\.expr/.test(expr);
  const declaresMore = typeEnv.some(({ declKind }) => {
    return declKind.case !== 'ident' || declKind.value.type?.typeKind.case === 'messageType';
  });
  return !needsMessages && !declaresMore && container === '' && !disableMacros && !checkOnly;
}

function wantedOf({ resultMatcher }: SimpleTest): Wanted | undefined {
  switch (resultMatcher.case) {
    case undefined:
      return { value: 'true' };
    case 'value':
      return wantedValue(resultMatcher.value);
    case 'typedResult':
      return resultMatcher.value.result && wantedValue(resultMatcher.value.result);
    case 'evalError':
      return 'error';
    default:
      return undefined;
  }
}

function wantedValue(value: Value): Wanted | undefined {
  return value.kind.case === 'objectValue' ? undefined : { value: canonical(valueOf(value)) };
}

/** Stands for a uint and a type, which the library has classes for that it keeps to itself. */
interface Marked {
  readonly mark: 'uint' | 'type';
  readonly text: string;
}

function valueOf({ kind }: Value): unknown {
  switch (kind.case) {
    case 'uint64Value':
      return { mark: 'uint', text: String(kind.value) } satisfies Marked;
    case 'typeValue':
      return { mark: 'type', text: kind.value } satisfies Marked;
    case 'listValue':
      return kind.value.values.map(valueOf);
    case 'mapValue':
      return new Map(kind.value.entries.map(({ key, value }) => [key && valueOf(key), value && valueOf(value)]));
    case 'nullValue':
      return null;
    default:
      return kind.value;
  }
}

/** The same text for values of the same type that are equal. */
export function canonical(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'bigint') return `int ${value}`;
  if (typeof value === 'number') return `double ${value === 0 ? 0 : value}`;
  if (typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value instanceof Map) return members([...value]);
  if ('mark' in value) return `${(value as Marked).mark} ${(value as Marked).text}`;
  return ofLibrary(value);
}

function ofLibrary(value: object): string {
  const { name, value: number } = value as { readonly name?: string; readonly value?: bigint };
  switch (value.constructor.name) {
    case 'UnsignedInt':
      return `uint ${number}`;
    case 'Type':
      return `type ${name}`;
    case 'Object':
      return members(Object.entries(value));
    default:
      return `${value.constructor.name} ${(value as { toString(): string }).toString()}`;
  }
}

function members(entries: readonly (readonly [unknown, unknown])[]): string {
  const texts = entries.map(([key, value]) => `${canonical(key)}: ${canonical(value)}`);
  return `{${texts.sort().join()}}`;
}
