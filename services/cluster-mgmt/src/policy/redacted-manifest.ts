import { isJsonObject } from '@crate/api';
import type { Manifest } from '@crate/api';

type Json = Readonly<Record<string, unknown>>;

const MASK = '(sensitive value)';
const VALUES = ['data', 'stringData'];
/** Where kubectl keeps a copy of all of it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A manifest as it is sent for review: of Secrets the keys alone, also of those in a List. */
export function redactedManifest(manifest: Manifest): Json {
  return redacted(manifest);
}

function redacted(object: Json): Json {
  if (object['kind'] === 'Secret') return withoutValues(object);
  const { items } = object;
  if (!Array.isArray(items)) return object;
  return { ...object, items: items.map((item: unknown) => (isJsonObject(item) ? redacted(item) : item)) };
}

function withoutValues(secret: Json): Json {
  const entries = Object.entries(secret).map(([name, value]): [string, unknown] => {
    if (VALUES.includes(name)) return [name, masked(value)];
    return [name, name === 'metadata' && isJsonObject(value) ? withoutCopy(value) : value];
  });
  return Object.fromEntries(entries);
}

function masked(values: unknown): unknown {
  if (!isJsonObject(values)) return MASK;
  return Object.fromEntries(Object.keys(values).map((key) => [key, MASK]));
}

function withoutCopy(metadata: Json): Json {
  const { annotations } = metadata;
  if (!isJsonObject(annotations) || !(LAST_APPLIED in annotations)) return metadata;
  return { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: MASK } };
}
