import { hasCode, PlatformError, type ErrorCause } from '@crate/errors';

/**
 * What to catch with where options become fields of a request: what the sandbox says of a field is said of the option that a person wrote.
 * `what`: what the options are of. Throws BadRequest, and other errors as they are.
 */
export function tellByFlags(what: string): (error: unknown) => never {
  return (error) => {
    if (!hasCode(error, 'InvalidSpec')) throw error;
    const { details, message } = error as PlatformError;
    const told = (details.causes ?? []).map((cause) => mistakeOf(cause, what));
    throw new PlatformError('BadRequest', told.length === 0 ? message : told.join('; '), { cause: error });
  };
}

function mistakeOf({ field = '', reason, message }: ErrorCause, what: string): string {
  const flag = flagOf(field);
  if (reason === 'FieldValueForbidden') return `${flag} has no meaning for ${what}`;
  if (reason === 'FieldValueRequired') return `${what} need ${flag}`;
  return `${flag}: ${message}`;
}

/** `body.delayMs` is `--delay-ms`; what is in the path is an argument. */
function flagOf(field: string): string {
  const [where, ...rest] = field.split('.');
  const name = rest.join('.').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return where === 'path' ? `<${name}>` : `--${name}`;
}
