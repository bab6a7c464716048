import type { ConfigField, FieldType } from './schema-fields.js';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
};

/** The value that the text of a variable stands for. Text that does not fit stays text, for the schema to refuse. */
export function coerce(field: Pick<ConfigField, 'type' | 'elementType'>, text: string): unknown {
  if (field.type !== 'list') return coerceOne(field.type, text);
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '').map((item) => coerceOne(field.elementType ?? 'string', item));
}

function coerceOne(type: FieldType, text: string): unknown {
  switch (type) {
    case 'number':
      return toNumber(text);
    case 'boolean':
      return BOOLEANS[text.toLowerCase()] ?? text;
    case 'duration':
      return toMilliseconds(text);
    default:
      return text;
  }
}

function toMilliseconds(text: string): unknown {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  const factor = UNIT_MS[unit ?? ''];
  return factor === undefined ? toNumber(text) : Number(amount) * factor;
}

function toNumber(text: string): unknown {
  const number = Number(text);
  return text === '' || Number.isNaN(number) ? text : number;
}
