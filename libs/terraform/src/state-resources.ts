import { readStateObjects, type StateObject } from './state-objects.js';

/** An object of a state as anybody may know it who may know that there is one. */
export interface StateResourceFact {
  /** With module and index, such as `module.a.aws_subnet.s[0]`. */
  readonly address: string;
  readonly type: string;
  readonly name: string;
  /** The provider's id; undefined without one, and where it may be a secret. */
  readonly id: string | undefined;
  /** Its creation was not finished: the next run replaces it. */
  readonly isTainted: boolean;
}

/** Providers whose ids are, or are made of, what they keep secret. */
const SECRET_IDS = /^(random|tls)_/;

/** What a state knows of, by address and without values. Throws for what is no state of version 4. */
export function stateResources(bytes: Uint8Array): readonly StateResourceFact[] {
  return [...readStateObjects(bytes).values()].map((object) => ({
    address: object.address,
    type: object.type,
    name: object.name,
    id: idOf(object),
    isTainted: object.isTainted === true,
  }));
}

function idOf({ type, attributes, sensitive }: StateObject): string | undefined {
  const id = attributes['id'];
  return typeof id === 'string' && !sensitive.has('id') && !SECRET_IDS.test(type) ? id : undefined;
}
