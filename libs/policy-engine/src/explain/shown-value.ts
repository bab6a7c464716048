import { fromCelValue, type DecidingValue } from '@crate/cel';
import type { Redactor } from '@crate/telemetry';
import { isSecretName } from './secrets.js';

/** Characters of a value that are shown. */
const MOST = 160;

/** A part of an expression and its value as a person reads it. */
export interface ShownValue {
  readonly source: string;
  /** JSON, cut short and without secrets; `absent`, or why there is no value. */
  readonly shown: string;
}

/** What a person is shown of a deciding value. */
export function shownValue(part: DecidingValue, redactor: Redactor): ShownValue {
  return { source: part.source, shown: textOf(part, redactor) };
}

function textOf(part: DecidingValue, redactor: Redactor): string {
  switch (part.kind) {
    case 'absent':
      return 'absent';
    case 'mistake':
      return `no value (${redactor.redactText(part.mistake)})`;
    case 'value': {
      const last = /(\w[\w-]*)["'\])]*$/.exec(part.source)?.[1] ?? '';
      if (typeof part.value === 'string' && isSecretName(last)) return `[redacted, ${part.value.length} characters]`;
      return shortened(redactor.redactText(jsonOf(part.value, redactor)), part.value);
    }
  }
}

function jsonOf(value: unknown, redactor: Redactor): string {
  try {
    return JSON.stringify(redactor.redact(fromCelValue(value))) ?? 'absent';
  } catch {
    return String(value); // Such as a timestamp.
  }
}

function shortened(text: string, value: unknown): string {
  if (text.length <= MOST) return text;
  const size = Array.isArray(value) ? `${value.length} items` : `${text.length} characters`;
  return `${text.slice(0, MOST)}… (${size})`;
}
