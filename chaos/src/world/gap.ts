import type { World } from './world.js';

/** Revisions after one and up to another. */
export interface Gap {
  readonly after: number;
  readonly upTo: number;
}

type Known = Pick<World, 'since' | 'gaps'>;

/** Whether every change of a kind in between was read. */
export function isRead({ since, gaps }: Known, kind: string, { after, upTo }: Gap): boolean {
  const isForgotten = (gaps[kind] ?? []).some((gap) => gap.after < upTo && gap.upTo > after);
  return after >= (since[kind] ?? 0) && !isForgotten;
}

/** Whether the change of a kind at a revision was read, if there is one. */
export function isKnown(of: Known, kind: string, revision: number): boolean {
  return isRead(of, kind, { after: revision - 1, upTo: revision });
}
