import { badRequest } from '@crate/errors';
import { isScalar, parseDocument as parseYamlDocument, visit, type Document, type YAMLError } from 'yaml';
import { checkDocument, countKeys, duplicateKeys } from './document-check.js';
import { bodyTooLarge } from './protocol-error.js';

/** YAML takes a thousand times as long to read as JSON; programs send JSON, and what people write is smaller than this. */
export const YAML_LIMIT_BYTES = 256 * 1024;

/** Aliases expand at most this often, so that a small body cannot become a huge document. */
const MAX_ALIASES = 100;

/** Told of fields that a document gives twice, each as `duplicate field "spec.a"`; the last value counts unless it throws. */
export type OnDuplicates = (fields: readonly string[]) => void;

/** Throws BadRequest that says what is wrong and where. */
export function parseJson(text: string, onDuplicates: OnDuplicates = refuseDuplicates): unknown {
  const value = readJson(text);
  if (checkDocument(value) < countKeys(text)) onDuplicates(named(duplicateKeys(text)));
  return value;
}

/** YAML; text that is JSON is read as such, which is quicker and the same. Throws as `parseJson` does, and 413. */
export function parseYaml(text: string, onDuplicates: OnDuplicates = refuseDuplicates): unknown {
  if (/^\s*[{[]/.test(text) && isJson(text)) return parseJson(text, onDuplicates);
  if (Buffer.byteLength(text) > YAML_LIMIT_BYTES) throw bodyTooLarge(YAML_LIMIT_BYTES, 'as YAML; send it as JSON');
  const document = readYaml(text);
  const repeated = duplicatesOf(document);
  if (repeated.length > 0) onDuplicates(named(repeated));
  const value = valueOf(document);
  checkDocument(value);
  return value;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw badRequest(
      `the request body is not valid JSON: ${error instanceof Error ? withoutExcerpt(error.message) : ''}`,
    );
  }
}

/** `Unexpected token 'x', ..."y":x}"... is not valid JSON` has what stands around it, which may be a secret. */
function withoutExcerpt(message: string): string {
  return message.replace(/, (\.\.\.)?".*$/s, '');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readYaml(text: string): Document {
  // Its own search for duplicates, and for what surrounds an error, takes time with the square of the text.
  const document = parseYamlDocument(text, { uniqueKeys: false, prettyErrors: false });
  const [error] = document.errors;
  if (error) throw badRequest(`the request body is not valid YAML: ${reasonOf(error, text)}`);
  return document;
}

function reasonOf({ code, message, pos }: YAMLError, text: string): string {
  if (code === 'MULTIPLE_DOCS') return 'send one document a request';
  if (message.startsWith('Maximum call stack')) return 'it is nested too deep';
  const before = text.slice(0, pos[0]).split('\n');
  return `${message} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function duplicatesOf(document: Document): readonly string[] {
  const found: string[] = [];
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<string>();
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : '';
        if (keys.has(name)) found.push(name);
        keys.add(name);
      }
    },
  });
  return found;
}

function valueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
  } catch {
    throw badRequest('the request body is not valid YAML: it has too many aliases, or aliases of what is not there');
  }
}

function named(keys: readonly string[]): readonly string[] {
  return keys.slice(0, 10).map((key) => `duplicate field ${JSON.stringify(key.slice(0, 200))}`);
}

function refuseDuplicates(fields: readonly string[]): never {
  throw badRequest(`the request body is ambiguous: ${fields.join(', ')}`);
}
