import type { KubeObject } from '@crate/api';
import type { ChangeNotice } from './resource-store.js';

/** A change that is about to be committed, and what it takes the place of. */
export interface WitnessedChange {
  readonly type: ChangeNotice['type'];
  /** The stored state; absent for ADDED. */
  readonly before?: KubeObject;
  /** For DELETED the last state. */
  readonly after: KubeObject;
}

/** What is recorded of a write; plain JSON. `change` is the index of the change it tells of. */
export type WitnessEntry = Readonly<Record<string, unknown>> & { readonly change: number };

/**
 * Says what the audit log shall hold of a write; the first change is the one asked for unless others had to come before it.
 * Called for each attempt, in the asynchronous context of the write; must not throw. What it gives is committed with the write.
 */
export type WriteWitness = (changes: readonly WitnessedChange[]) => readonly WitnessEntry[];
