import { useSyncExternalStore } from 'react';
import { parseFleetSearch, type FleetSearch } from './fleet-search.js';

/** A state of the fleet's page by name. */
export interface SavedView {
  readonly name: string;
  readonly search: FleetSearch;
}

const KEY = 'crate-fleet-views';
const listeners = new Set<() => void>();
let read: { readonly text: string | null; readonly views: readonly SavedView[] } = { text: null, views: [] };

/** Views that were saved in this browser, by name. */
export function useSavedViews(): readonly SavedView[] {
  return useSyncExternalStore(subscribe, savedViews);
}

/** Keeps a state under a name; one of that name before is replaced. */
export function saveView(view: SavedView): void {
  const others = savedViews().filter(({ name }) => name !== view.name);
  write([...others, view].toSorted((a, b) => a.name.localeCompare(b.name)));
}

export function removeView(name: string): void {
  write(savedViews().filter((view) => view.name !== name));
}

function savedViews(): readonly SavedView[] {
  const text = localStorage.getItem(KEY);
  if (text !== read.text) read = { text, views: parse(text) };
  return read.views;
}

/** Anybody can write to the storage of a browser: what is not a view is dropped. */
function parse(text: string | null): readonly SavedView[] {
  try {
    const views: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(views)) return [];
    return (views as readonly { readonly name?: unknown; readonly search?: unknown }[]).flatMap((view) =>
      typeof view.name === 'string' && typeof view.search === 'object' && view.search !== null
        ? [{ name: view.name, search: parseFleetSearch(view.search as Record<string, unknown>) }]
        : [],
    );
  } catch {
    return [];
  }
}

function write(views: readonly SavedView[]): void {
  localStorage.setItem(KEY, JSON.stringify(views));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Of other tabs.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
