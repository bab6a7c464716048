import { createContext, useContext } from 'react';
import type { DocumentPath } from './document-path.js';

/** One field: what is stated, what would be without, and what is wrong with it. */
export interface FieldState {
  readonly value: unknown;
  /** What somebody else, or a default, puts there. */
  readonly filled: unknown;
  readonly errors: readonly string[];
  readonly set: (value: unknown) => void;
}

const FieldsContext = createContext<((path: DocumentPath) => FieldState) | null>(null);

/** Says what each field of a form is about. */
export const FieldsProvider = FieldsContext.Provider;

/** Throws outside of a form. */
export function useField(path: DocumentPath): FieldState {
  const stateOf = useContext(FieldsContext);
  if (!stateOf) throw new Error('There is no form here');
  return stateOf(path);
}
