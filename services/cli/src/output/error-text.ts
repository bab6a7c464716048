import type { ErrorCause, PlatformError } from '@crate/errors';
import { oneLine, visible } from './visible.js';
import { whySystemFailed } from './why-unreachable.js';

/** What went wrong, each cause with its field, and what to do. */
export function errorLines(error: PlatformError): readonly string[] {
  const { message, details } = error;
  const { causes = [], remedy = causes.find(({ field }) => field === undefined)?.message } = details;
  const fields = fieldCauses(causes);
  const head = fields.length > 1 ? `${headOf(message, fields[0]?.field ?? '')}:` : `${message}${becauseOf(error)}`;
  const told = fields.length > 1 ? fields.map(({ field, message: text }) => `  ${field}: ${text}`) : [];
  // Over the API what to do comes as a cause of its own.
  const lines = [head, ...told, ...(remedy && !head.endsWith(remedy) ? [remedy] : [])];
  // Where fields are told, a line is a cause.
  return lines.map(fields.length > 0 ? oneLine : visible);
}

function fieldCauses(causes: readonly ErrorCause[]): readonly ErrorCause[] {
  return causes.filter(({ field }) => field !== undefined);
}

/** The part of a message in front of its list of fields. */
function headOf(message: string, firstField: string): string {
  const list = message.indexOf(firstField);
  const end = list < 0 ? -1 : message.lastIndexOf(': ', list);
  return end < 0 ? message : message.slice(0, end);
}

/** Why something could not be reached, unless the message has it. */
function becauseOf({ code, message, cause }: PlatformError): string {
  const why = code === 'Unavailable' && cause !== undefined ? whySystemFailed(cause) : undefined;
  return why === undefined || message.includes(why) ? '' : `: ${why}`;
}
