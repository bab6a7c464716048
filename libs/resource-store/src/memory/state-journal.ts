import type { KubeObject } from '@crate/api';
import { invariant } from '@crate/errors';
import type { Change } from '../change/change.js';
import { freezeJson } from '../object/json.js';
import { keyOf } from '../object/object-key.js';
import type { Journal } from '../journal/journal.js';
import { MemoryState } from './memory-state.js';

/** First line: the state before the oldest change still kept. Every other line: the changes of one commit. */
type Entry =
  | { readonly floor: number; readonly objects: readonly KubeObject[] }
  | { readonly changes: readonly { readonly type: Change['type']; readonly object: KubeObject }[] };

/** Rewriting costs as much as there is to keep, so it waits until at least as much would fall away. */
const SMALLEST_REWRITE = 1_000;

/** Keeps a `MemoryState` in a journal: the state of some revision, and every commit since. */
export class StateJournal {
  private lines = 0;

  constructor(private readonly journal: Journal) {}

  /** Rebuilds the state from what was kept. */
  async load(): Promise<MemoryState> {
    const entries = (await this.journal.read()) as readonly Entry[];
    this.lines = entries.length;
    const [first, ...rest] = entries;
    const hasBase = first !== undefined && 'objects' in first;
    const state = hasBase ? new MemoryState(first.floor, freezeJson(first.objects)) : new MemoryState();
    for (const entry of hasBase ? rest : entries) replay(state, entry);
    return state;
  }

  append(changes: readonly Change[]): void {
    this.lines += 1;
    this.journal.append({ changes: changes.map(({ type, object }) => ({ type, object })) } satisfies Entry);
  }

  async flush(): Promise<void> {
    await this.journal.flush();
  }

  /** Rewrites the journal as the state before the kept changes and these changes, once that makes it much shorter. */
  async shorten(state: MemoryState): Promise<void> {
    const kept = state.changesAfter(state.floor, Infinity);
    if (this.lines < 2 * (state.objectCount + kept.length) + SMALLEST_REWRITE) return;
    const base: Entry = { floor: state.floor, objects: state.objectsAtFloor() };
    const changes = kept.map(({ type, object }): Entry => ({ changes: [{ type, object }] }));
    await this.journal.replace([base, ...changes]);
    this.lines = 1 + changes.length;
  }

  async close(): Promise<void> {
    await this.journal.close();
  }
}

function replay(state: MemoryState, entry: Entry): void {
  if (!('changes' in entry)) throw invariant('The journal has a state where it should have changes');
  for (const { type, object } of entry.changes) {
    const revision = state.head + 1;
    if (object.metadata.resourceVersion !== String(revision)) {
      throw invariant(`The journal has revision ${object.metadata.resourceVersion} in the place of ${revision}`);
    }
    freezeJson(object);
    state.apply({ revision, type, key: keyOf(object), uid: object.metadata.uid, object });
  }
}
