import { fromCelValue, toCelValue } from './cel-value.js';
import {
  compileExpression,
  evaluationMistake,
  type Bindings,
  type Expression,
  type TypedVariable,
} from './expression.js';
import { withinProcessorTime } from './time-limit.js';

/** Of a processor, for a whole template; real ones take a millisecond. */
const RENDER_MS = 500;

/** A text of a template: what stands in it, in turn. */
type Segment = string | Expression;

type Render = (bindings: Bindings) => unknown;

type Path = readonly (string | number)[];

/** What is wrong in a template, and where. */
export interface TemplateError {
  /** Begins at the template. */
  readonly path: Path;
  readonly value: unknown;
  readonly reason: 'FieldValueInvalid';
  readonly detail: string;
}

/** A template whose expressions were parsed and checked. */
export interface Template {
  /** Leaves that an expression computes, as paths from the template. */
  readonly computed: readonly Path[];
  /**
   * The template with values in it, or what could not be evaluated; `others` are the values of the other variables, by their names. Never throws.
   */
  render(values: Readonly<Record<string, unknown>>, others?: Bindings): RenderedTemplate;
}

export interface RenderedTemplate {
  /** Undefined when there are errors. */
  readonly result: unknown;
  readonly errors: readonly TemplateError[];
}

/**
 * Any JSON in which `${…}` in a text is an expression over a variable, and over `others` where there are any; `$${` stands for `${`. A text that is one
 * expression becomes its value; a member or item whose value is absent is left out. Gives the template, and what is wrong with its expressions.
 */
export function compileTemplate(
  template: unknown,
  variable: TypedVariable,
  others: readonly TypedVariable[] = [],
): { readonly template: Template; readonly errors: readonly TemplateError[] } {
  const compiler = new Compiler([variable, ...others]);
  let render = compiler.compile(template, []);
  const { computed, errors } = compiler;
  const bound = (values: unknown, rest: Bindings): Bindings => ({ ...rest, [variable.name]: values });
  const renderer: Renderer = {
    render: (bindings) => render(bindings),
    // The evaluator may have been stopped anywhere; what it kept inside must not reach the next time.
    renew: () => (render = new Compiler([variable, ...others]).compile(template, [])),
  };
  return { errors, template: { computed, render: (values, rest = {}) => renderWith(renderer, bound(values, rest)) } };
}

class RenderError extends Error {
  constructor(
    readonly path: Path,
    override readonly message: string,
    readonly value: unknown,
  ) {
    super(message);
  }
}

interface Renderer {
  readonly render: Render;
  readonly renew: () => void;
}

function renderWith({ render, renew }: Renderer, bindings: Bindings): RenderedTemplate {
  try {
    const given = Object.fromEntries(Object.entries(bindings).map(([name, value]) => [name, toCelValue(value)]));
    return { result: withinProcessorTime(RENDER_MS, () => render(given), renew), errors: [] };
  } catch (error) {
    const { path, value } = error instanceof RenderError ? error : { path: [], value: undefined };
    const detail = error instanceof RenderError ? error.message : evaluationMistake(error);
    return { result: undefined, errors: [{ path, value, reason: 'FieldValueInvalid', detail }] };
  }
}

class Compiler {
  readonly errors: TemplateError[] = [];
  readonly computed: Path[] = [];

  constructor(private readonly variables: readonly TypedVariable[]) {}

  compile(value: unknown, path: Path): Render {
    if (typeof value === 'string') return this.text(value, path);
    if (Array.isArray(value)) {
      const items = value.map((item: unknown, index) => this.compile(item, [...path, index]));
      return (bindings) => items.map((item) => item(bindings)).filter((item) => item !== undefined);
    }
    if (!isObject(value)) return () => value;
    const members = Object.entries(value).map(
      ([name, member]) => [name, this.compile(member, [...path, name])] as const,
    );
    return (bindings) => {
      const rendered = members.map(([name, member]) => [name, member(bindings)] as const);
      return Object.fromEntries(rendered.filter(([, member]) => member !== undefined));
    };
  }

  private text(source: string, path: Path): Render {
    const segments = segmentsOf(source);
    if (segments === undefined) return this.refuse(path, source, 'must close every "${" with a "}"');
    if (segments.every((segment) => typeof segment === 'string')) return () => segments.join('');
    this.computed.push(path);
    const parts = segments.map((segment) => (typeof segment === 'string' ? segment : this.expression(segment, path)));
    const [only] = parts;
    const isWhole = parts.length === 1 && only !== undefined && typeof only !== 'string';
    return (bindings) => evaluated(path, source, () => (isWhole ? valueOf(only, bindings) : joined(parts, bindings)));
  }

  private expression({ source }: Source, path: Path): Segment {
    const compiled = compileExpression(source, this.variables, 'any');
    if (compiled.ok) return compiled.expression;
    this.refuse(path, source, compiled.mistake);
    return '';
  }

  private refuse(path: Path, value: unknown, detail: string): Render {
    this.errors.push({ path, value, reason: 'FieldValueInvalid', detail });
    return () => undefined;
  }
}

function valueOf(expression: Expression, bindings: Bindings): unknown {
  return fromCelValue(expression.evaluate(bindings));
}

function joined(parts: readonly Segment[], bindings: Bindings): string {
  return parts.map((part) => (typeof part === 'string' ? part : textOf(valueOf(part, bindings)))).join('');
}

function evaluated(path: Path, source: string, evaluate: () => unknown): unknown {
  try {
    return evaluate();
  } catch (error) {
    throw new RenderError(path, evaluationMistake(error), source);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
