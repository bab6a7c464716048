import type { KindDefinition } from '@crate/api';
import type { KindInfo, ResourceType } from '@crate/resource-client';
import { z } from 'zod';

/** What of a kind may not be read on the way between services. */
export interface KindSecrecy {
  /** Its schema calls a field `writeOnly`: what is written of it travels sealed. */
  readonly hasSecretFields: boolean;
  /** Subresources with `isSecret`: both directions travel sealed. */
  readonly secretSubresources: ReadonlySet<string>;
}

/** Looks a kind up; undefined for one that is not known. */
export type SecrecyOf = (type: ResourceType) => KindSecrecy | undefined;

const known = new WeakMap<object, KindSecrecy>();

/** Computed once for each kind. */
export function secrecyOf(kind: KindInfo | KindDefinition): KindSecrecy {
  const found = known.get(kind);
  if (found) return found;
  const schema = 'schema' in kind ? kind.schema : z.toJSONSchema(kind.body, { io: 'input', unrepresentable: 'any' });
  const made = {
    hasSecretFields: isAnyWriteOnly(schema),
    secretSubresources: new Set(kind.subresources.filter(({ isSecret }) => isSecret).map(({ name }) => name)),
  };
  known.set(kind, made);
  return made;
}

function isAnyWriteOnly(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if ((schema as { writeOnly?: unknown }).writeOnly === true) return true;
  return Object.values(schema).some(isAnyWriteOnly);
}
