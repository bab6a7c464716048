import { InvalidArgumentError } from 'commander';
import { WORKED_KINDS, type NamedKind } from './api-values.js';

const [USUAL] = WORKED_KINDS;

/** An object that runs are made for, as a person names it: `cluster/demo`, or `demo`, which is a cluster. */
export interface WorkedObject {
  readonly kind: NamedKind;
  readonly name: string;
}

/** Throws InvalidArgumentError that says what is expected. */
export function parseWorkedObject(text: string): WorkedObject {
  const [name = '', kindName = USUAL.singular, ...rest] = text.split('/').toReversed();
  const asked = kindName.toLowerCase();
  const kind = WORKED_KINDS.find(({ singular, plural, shortNames }) =>
    [singular, plural, ...shortNames].includes(asked),
  );
  if (kind && name !== '' && rest.length === 0) return { kind, name };
  const known = WORKED_KINDS.map(({ singular }) => `${singular}/NAME`).join(', ');
  throw new InvalidArgumentError(`Give one of ${known}.`);
}
