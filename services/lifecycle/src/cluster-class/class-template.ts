import {
  compileExpression,
  evaluationMistake,
  fromCelValue,
  toCelValue,
  withinTime,
  type Expression,
  type TypedVariable,
} from '@crate/cel';
import { isObject, type FieldError, type FieldPath, type JsonObject } from '@crate/resource-server';

/** Time for a whole template; real ones take a millisecond. */
const RENDER_MS = 500;

/** A text of a template: what stands in it, in turn. */
type Segment = string | Expression;

type Render = (params: unknown) => unknown;

/** A template whose expressions were parsed and checked. */
export interface Template {
  /** Leaves that an expression computes, as paths from the template. */
  readonly computed: readonly FieldPath[];
  /** The template with parameters in it, or what could not be evaluated. Never throws. */
  render(params: JsonObject): Rendered;
}

export interface Rendered {
  readonly spec: JsonObject;
  /** Paths begin at the template. */
  readonly errors: readonly FieldError[];
}

/** The template, or what is wrong with its expressions; paths begin at the template. */
export function compileTemplate(
  template: unknown,
  params: TypedVariable,
): { readonly template: Template; readonly errors: readonly FieldError[] } {
  const compiler = new Compiler(params);
  const render = compiler.compile(template, []);
  const { computed, errors } = compiler;
  return { errors, template: { computed, render: (values) => renderWith(render, values) } };
}

class RenderError extends Error {
  constructor(
    readonly path: FieldPath,
    override readonly message: string,
    readonly value: unknown,
  ) {
    super(message);
  }
}

function renderWith(render: Render, values: JsonObject): Rendered {
  try {
    const spec = withinTime(RENDER_MS, () => render(toCelValue(values)));
    return { spec: isObject(spec) ? spec : {}, errors: [] };
  } catch (error) {
    const { path, value } = error instanceof RenderError ? error : { path: [], value: undefined };
    const detail = error instanceof RenderError ? error.message : evaluationMistake(error);
    return { spec: {}, errors: [{ path, value, reason: 'FieldValueInvalid', detail }] };
  }
}

class Compiler {
  readonly errors: FieldError[] = [];
  readonly computed: FieldPath[] = [];

  constructor(private readonly params: TypedVariable) {}

  compile(value: unknown, path: FieldPath): Render {
    if (typeof value === 'string') return this.text(value, path);
    if (Array.isArray(value)) {
      const items = value.map((item: unknown, index) => this.compile(item, [...path, index]));
      return (params) => items.map((item) => item(params)).filter((item) => item !== undefined);
    }
    if (!isObject(value)) return () => value;
    const members = Object.entries(value).map(
      ([name, member]) => [name, this.compile(member, [...path, name])] as const,
    );
    return (params) => {
      const rendered = members.map(([name, member]) => [name, member(params)] as const);
      return Object.fromEntries(rendered.filter(([, member]) => member !== undefined));
    };
  }

  private text(source: string, path: FieldPath): Render {
    const segments = segmentsOf(source);
    if (segments === undefined) return this.refuse(path, source, 'must close every "${" with a "}"');
    if (segments.every((segment) => typeof segment === 'string')) return () => segments.join('');
    this.computed.push(path);
    const parts = segments.map((segment) => (typeof segment === 'string' ? segment : this.expression(segment, path)));
    const [only] = parts;
    const isWhole = parts.length === 1 && only !== undefined && typeof only !== 'string';
    return (params) => evaluated(path, source, () => (isWhole ? valueOf(only, params) : joined(parts, params)));
  }

  private expression({ source }: Source, path: FieldPath): Segment {
    const compiled = compileExpression(source, [this.params], 'any');
    if (compiled.ok) return compiled.expression;
    this.refuse(path, source, compiled.mistake);
    return '';
  }

  private refuse(path: FieldPath, value: unknown, detail: string): Render {
    this.errors.push({ path, value, reason: 'FieldValueInvalid', detail });
    return () => undefined;
  }
}

function evaluated(path: FieldPath, source: string, evaluate: () => unknown): unknown {
  try {
    return evaluate();
  } catch (error) {
    throw new RenderError(path, evaluationMistake(error), source);
  }
}

function valueOf(expression: Expression, params: unknown): unknown {
  return fromCelValue(expression.evaluate({ params }));
}

function joined(parts: readonly Segment[], params: unknown): string {
  return parts.map((part) => (typeof part === 'string' ? part : textOf(valueOf(part, params)))).join('');
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError('inside a text an expression must give a string, a number or a bool');
}

interface Source {
  readonly source: string;
}

/** The texts and expressions of a text in turn; `$${` stands for `${`. Undefined when an expression does not end. */
function segmentsOf(text: string): readonly (string | Source)[] | undefined {
  const segments: (string | Source)[] = [];
  let plain = '';
  for (let at = 0; at < text.length;) {
    if (text.startsWith('$${', at)) {
      plain += '${';
      at += 3;
    } else if (text.startsWith('${', at)) {
      const end = endOf(text, at + 2);
      if (end === undefined) return undefined;
      if (plain !== '') segments.push(plain);
      segments.push({ source: text.slice(at + 2, end).trim() });
      plain = '';
      at = end + 1;
    } else {
      plain += text.charAt(at);
      at += 1;
    }
  }
  return plain === '' && segments.length > 0 ? segments : [...segments, plain];
}

/** Where the brace is that ends an expression; braces inside of it and in its texts do not. */
function endOf(text: string, from: number): number | undefined {
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{') depth += 1;
    else if (character === '}' && depth === 0) return at;
    else if (character === '}') depth -= 1;
  }
  return undefined;
}
