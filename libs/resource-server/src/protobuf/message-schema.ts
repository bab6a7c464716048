/** How one value is written. `?` marks a number or boolean whose zero says something, because it may be left out. */
export type ValueType =
  'string' | 'bytes' | 'int' | 'int?' | 'bool' | 'bool?' | 'intOrString' | 'quantity' | MessageSchema;

/** One field of a message: its JSON name and its type; lists and maps hold many values. */
export interface FieldType {
  readonly name: string;
  readonly type: ValueType;
  readonly many?: 'list' | 'map';
}

/** The fields of a message by their numbers. */
export interface MessageSchema {
  readonly fields: Readonly<Record<number, FieldType>>;
}

/** A field that holds one value. */
export function one(name: string, type: ValueType = 'string'): FieldType {
  return { name, type };
}

/** A field that holds a list. */
export function list(name: string, type: ValueType = 'string'): FieldType {
  return { name, type, many: 'list' };
}

/** A field that holds a map with text keys. */
export function map(name: string, type: ValueType = 'string'): FieldType {
  return { name, type, many: 'map' };
}

/** A message type. */
export function message(fields: Readonly<Record<number, FieldType>>): MessageSchema {
  return { fields };
}
