import { isJsonObject } from '@crate/api';
import { isSecretKey, Redactor } from '@crate/telemetry';

type Json = Readonly<Record<string, unknown>>;

const SECRET_WORD = /password|passwd|secret|token|credential|apikey|privatekey|passphrase/;
/** What tells where a secret is, and how it is used, is none. */
const ABOUT_A_SECRET = /(name|ref|arn|id|file|path|type|enabled|version|seconds|provider|class)s?$/;

/** Takes out of text what a document holds of secrets. */
export function redactorOf(...documents: readonly unknown[]): Redactor {
  const redactor = new Redactor();
  for (const document of documents) for (const secret of secretsIn(document)) redactor.add(secret);
  return redactor;
}

/** True when a member of this name most likely holds a secret. Explanations rather keep too much to themselves. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  return isSecretKey(name) || (SECRET_WORD.test(plain) && !ABOUT_A_SECRET.test(plain));
}

function secretsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(secretsIn);
  if (!isJsonObject(value)) return [];
  const { kind, name } = value;
  const members = Object.entries(value).flatMap(([key, member]) => {
    const isSecret =
      isSecretName(key) ||
      (kind === 'Secret' && (key === 'data' || key === 'stringData')) ||
      // An environment variable.
      (key === 'value' && typeof name === 'string' && isSecretName(name));
    return isSecret ? [...textsOf(member), ...secretsIn(member)] : secretsIn(member);
  });
  return [...members, ...sensitiveOf(value)];
}

/** A text, those of a flat map, or `{value: text}`, as Terraform writes variables; of a Secret both forms. */
function textsOf(value: unknown): readonly string[] {
  const texts = isJsonObject(value) ? Object.values(value) : [value];
  return texts
    .filter((text) => typeof text === 'string')
    .flatMap((text) => [text, Buffer.from(text, 'base64').toString()]);
}

/** Terraform marks what is sensitive beside the values, in their shape. */
function sensitiveOf(change: Json): readonly string[] {
  const sides = [
    [change['after'], change['after_sensitive']],
    [change['before'], change['before_sensitive']],
  ] as const;
  return sides.flatMap(([values, marks]) => markedOf(values, marks));
}

function markedOf(value: unknown, mark: unknown): readonly string[] {
  if (mark === true)
    return typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap((member) => markedOf(member, true));
  if (!isJsonObject(value) && !Array.isArray(value)) return [];
  const marks = (mark ?? {}) as Json;
  return Object.entries(value).flatMap(([key, member]) => markedOf(member, marks[key]));
}
