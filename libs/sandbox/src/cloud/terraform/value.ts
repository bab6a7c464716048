import { decode, encode, ExtensionCodec } from '@msgpack/msgpack';

/** A value that Terraform will know only after apply. */
export class Unknown {
  private readonly kind = 'unknown';
  toString(): string {
    return this.kind;
  }
}

/** The one unknown value. */
export const UNKNOWN = new Unknown();

/** A Terraform value: JSON, or not known yet. */
export type Value = string | number | boolean | null | Unknown | readonly Value[] | { readonly [key: string]: Value };

/** An object value: the attributes and blocks of a resource. */
export type Values = Readonly<Record<string, Value>>;

/** How values travel in the plugin protocol. */
export interface DynamicValue {
  readonly msgpack: Uint8Array;
  readonly json?: Uint8Array;
}

const UNREFINED = 0;
const REFINED = 12;

// Unknown values are MessagePack extensions: type 0 is plainly unknown, type 12 adds facts that are not needed here.
const codec = new ExtensionCodec();
codec.register({
  type: UNREFINED,
  encode: (value) => (value instanceof Unknown ? new Uint8Array([0]) : null),
  decode: () => UNKNOWN,
});
codec.register({ type: REFINED, encode: () => null, decode: () => UNKNOWN });

/** Reads a value off the wire. */
export function decodeValue(value: DynamicValue | null): Value {
  if (!value || value.msgpack.length === 0) return null;
  return decode(value.msgpack, { extensionCodec: codec }) as Value;
}

/** Writes a value for the wire. */
export function encodeValue(value: Value): DynamicValue {
  return { msgpack: encode(value, { extensionCodec: codec }) };
}

/** True when no part of the value is unknown. */
export function isKnown(value: Value | undefined): boolean {
  if (value instanceof Unknown) return false;
  if (Array.isArray(value)) return value.every(isKnown);
  if (isObject(value)) return Object.values(value).every(isKnown);
  return true;
}

/** True for an object value; false for lists, null and unknown. */
export function isObject(value: Value | undefined): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unknown);
}

/** Replaces what is unknown by null: the provider is about to find it out. */
export function withoutUnknown(value: Value): Value {
  if (value instanceof Unknown) return null;
  if (Array.isArray(value)) return value.map(withoutUnknown);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withoutUnknown(entry)]));
}
