import type { JsonObject } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { FieldType, MessageSchema, ValueType } from './message-schema.js';
import { ProtobufMessage } from './protobuf-message.js';

type Value = number | Buffer;

/**
 * A message as JSON. Values that say nothing (empty texts, zeros that cannot be left out) are not written.
 * Throws UnsupportedMediaType for a field that the schema does not know, rather than lose it.
 */
export function messageToJson(message: ProtobufMessage, schema: MessageSchema): JsonObject {
  const result: JsonObject = {};
  for (const [number, values] of message.entries()) {
    const field = schema.fields[number];
    if (field) addField(result, field, values);
    else if (!values.every(saysNothing)) throw unreadable(number);
  }
  return result;
}

function addField(result: JsonObject, { name, type, many }: FieldType, values: readonly Value[]): void {
  if (many === 'list') result[name] = values.map((value) => toJson(value, type));
  else if (many === 'map') result[name] = Object.fromEntries(values.map((value) => toEntry(value, type)));
  else {
    const value = toJson(values.at(-1) ?? 0, type);
    if (!isBlank(value, type)) result[name] = value;
  }
}

function toEntry(value: Value, type: ValueType): readonly [string, unknown] {
  const entry = ProtobufMessage.parse(bytes(value));
  const [, values] = [...entry.entries()].find(([number]) => number === 2) ?? [];
  return [entry.text(1), toJson(values?.at(-1) ?? Buffer.alloc(0), type)];
}

function toJson(value: Value, type: ValueType): unknown {
  if (typeof type === 'object') return messageToJson(ProtobufMessage.parse(bytes(value)), type);
  switch (type) {
    case 'string':
      return bytes(value).toString('utf8');
    case 'bytes':
      return bytes(value).toString('base64');
    case 'int':
    case 'int?':
      return value;
    case 'bool':
    case 'bool?':
      return value === 1;
    case 'intOrString':
      return intOrString(ProtobufMessage.parse(bytes(value)));
    case 'quantity':
      return ProtobufMessage.parse(bytes(value)).text(1);
  }
}

/** Source: https://github.com/kubernetes/apimachinery/blob/master/pkg/util/intstr/generated.proto */
function intOrString(message: ProtobufMessage): unknown {
  return message.number(1) === 0 ? message.number(2) : message.text(3);
}

function isBlank(value: unknown, type: ValueType): boolean {
  if (typeof type === 'object') return Object.keys(value as JsonObject).length === 0;
  return (
    value === '' || ((type === 'int' || type === 'intOrString') && value === 0) || (type === 'bool' && value === false)
  );
}

function saysNothing(value: Value): boolean {
  return value === 0 || (Buffer.isBuffer(value) && value.length === 0);
}

function bytes(value: Value): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function unreadable(number: number): PlatformError {
  return new PlatformError('UnsupportedMediaType', `field ${number} cannot be read from protobuf here, send JSON`);
}
