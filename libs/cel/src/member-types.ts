import type { MemberTypes } from './expression.js';

/** What of a JSON schema says which types members have. Source: https://json-schema.org/draft/2020-12 */
export interface TypeSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, TypeSchema>> | undefined;
  readonly additionalProperties?: unknown;
  readonly items?: TypeSchema | undefined;
}

/** The types of an object's members, as expressions see them; what a schema leaves open is `dyn`. */
export function memberTypesOf(schema: TypeSchema): MemberTypes {
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, member]) => [name, typeOf(member)]));
}

function typeOf(schema: TypeSchema): string | MemberTypes {
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'array': {
      const item = typeOf(schema.items ?? {});
      return `list<${typeof item === 'string' ? item : 'dyn'}>`;
    }
    case 'object':
      return isOpen(schema) ? 'map' : memberTypesOf(schema);
    default:
      return 'dyn'; // A JSON number is an int where it is whole and a double elsewhere.
  }
}

function isOpen(schema: TypeSchema): boolean {
  return schema.properties === undefined || Boolean(schema.additionalProperties);
}
