import type { World } from '../world/world.js';

/** Something that must never be, and is. */
export interface Violation {
  readonly invariant: string;
  /** What was found, with names and ids. */
  readonly message: string;
}

/** Judges a world; gives nothing when it holds. No I/O. */
export type Invariant = (world: World) => readonly Violation[];
