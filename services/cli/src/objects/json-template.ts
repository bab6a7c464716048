import { badRequest } from '@crate/errors';
import { JsonPath, textOfValue } from './json-path.js';

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: JsonPath }
  | { readonly kind: 'range'; readonly path: JsonPath; readonly parts: Part[] };

/** `{…}`, in which strings may have braces of their own, or what stands between. */
const TOKEN = /\{((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^{}"'])*)\}|([^{}]+)/gsy;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/**
 * What kubectl prints with `-o jsonpath=`: places in braces, text between them, `{"\n"}`, and `{range .items[*]}…{end}`.
 * Source: https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export class JsonTemplate {
  private constructor(private readonly parts: readonly Part[]) {}

  /** One place may stand without braces. Throws BadRequest that says where it makes no sense. */
  static parse(text: string): JsonTemplate {
    if (!text.includes('{')) return new JsonTemplate([{ kind: 'path', path: JsonPath.parse(text) }]);
    const open: Part[][] = [[]];
    for (const [token, inner] of tokensOf(text)) take(open, inner === undefined ? textPart(token) : inner.trim(), text);
    if (open.length > 1) throw badRequest(`"${text}" is no JSONPath: {range …} has no {end}`);
    return new JsonTemplate(open[0] ?? []);
  }

  /** As text; several values of one place with spaces between them. */
  render(document: unknown): string {
    return rendered(this.parts, document);
  }
}

function tokensOf(text: string): readonly RegExpMatchArray[] {
  const tokens = [...text.matchAll(TOKEN)];
  const length = tokens.reduce((sum, [token]) => sum + token.length, 0);
  if (length === text.length) return tokens;
  const rest = text.slice(length);
  throw badRequest(`"${text}" is no JSONPath: do not understand "${rest}"; expected such as {.metadata.name}{"\\n"}`);
}

/** Puts a part where it belongs: into the innermost range that is open. */
function take(open: Part[][], part: Part | string, whole: string): void {
  const innermost = open.at(-1) ?? [];
  if (typeof part !== 'string') return void innermost.push(part);
  if (part === 'end') return close(open, whole);
  const [, range] = /^range\s+(.+)$/s.exec(part) ?? [];
  if (range === undefined) return void innermost.push(insertOf(part));
  const parts: Part[] = [];
  innermost.push({ kind: 'range', path: JsonPath.parse(range), parts });
  open.push(parts);
}

function close(open: Part[][], whole: string): void {
  if (open.length === 1) throw badRequest(`"${whole}" is no JSONPath: {end} has no {range …}`);
  open.pop();
}

function insertOf(inner: string): Part {
  const [, , quoted] = /^(["'])(.*)\1$/s.exec(inner) ?? [];
  return quoted === undefined ? { kind: 'path', path: JsonPath.parse(`{${inner}}`) } : textPart(unescaped(quoted));
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);
}

function textPart(text: string): Part {
  return { kind: 'text', text };
}

function rendered(parts: readonly Part[], document: unknown): string {
  return parts.map((part) => renderedPart(part, document)).join('');
}

function renderedPart(part: Part, document: unknown): string {
  if (part.kind === 'text') return part.text;
  const values = part.path.values(document);
  if (part.kind === 'path') return values.map(textOfValue).join(' ');
  return values.map((value) => rendered(part.parts, value)).join('');
}
