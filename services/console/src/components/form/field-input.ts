import { fieldOf, type DocumentPath } from './document-path.js';
import type { FieldState } from './fields-context.js';

/** What every field of a form is told. */
export interface FieldProps {
  readonly path: DocumentPath;
  readonly label: string;
  readonly help?: string | undefined;
  readonly isRequired?: boolean;
}

/** What the inputs of all fields have in common. */
export interface InputProps {
  readonly id: string;
  readonly isRequired: boolean;
  readonly validated: 'error' | 'default';
  readonly 'aria-describedby': string;
}

/** Ties an input to its label, to its help, and to what is wrong with it. Pure. */
export function inputProps({ path, isRequired = false }: FieldProps, { errors }: FieldState): InputProps {
  return {
    id: inputId(path),
    isRequired,
    validated: errors.length > 0 ? 'error' : 'default',
    'aria-describedby': helpId(path),
  };
}

/** Id of the input of a field. Pure. */
export function inputId(path: DocumentPath): string {
  return fieldOf(path).replaceAll(/[^\w]+/g, '-');
}

/** Id of what is said below the input of a field. Pure. */
export function helpId(path: DocumentPath): string {
  return `${inputId(path)}-help`;
}

/** A value as an input of one line has it; empty for what is no scalar. Pure. */
export function inputText(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}
