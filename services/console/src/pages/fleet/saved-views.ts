import { useSyncExternalStore } from 'react';
import { useSession } from '../../app/session-context.js';
import { parseFleetSearch, type FleetSearch } from './fleet-search.js';

/** A state of the fleet's page by name. */
export interface SavedView {
  readonly name: string;
  readonly search: FleetSearch;
}

/** The views of one person, and how to change them. */
export interface SavedViews {
  readonly views: readonly SavedView[];
  /** Keeps a state under a name; one of that name before is replaced. */
  readonly save: (view: SavedView) => void;
  readonly remove: (name: string) => void;
}

const KEY = 'crate-fleet-views';
const listeners = new Set<() => void>();
let read: { readonly text: string | null; readonly views: readonly SavedView[] } = { text: null, views: [] };

/** Views that whoever is signed in saved in this browser, by name. Others at it have their own. */
export function useSavedViews(): SavedViews {
  const key = `${KEY}:${useSession().user}`;
  const views = useSyncExternalStore(subscribe, () => savedViews(key));
  const allBut = (name: string): readonly SavedView[] => savedViews(key).filter((view) => view.name !== name);
  return {
    views,
    save: (view) =>
      write(
        key,
        [...allBut(view.name), view].toSorted((a, b) => a.name.localeCompare(b.name)),
      ),
    remove: (name) => write(key, allBut(name)),
  };
}

function savedViews(key: string): readonly SavedView[] {
  const text = localStorage.getItem(key);
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

function write(key: string, views: readonly SavedView[]): void {
  localStorage.setItem(key, JSON.stringify(views));
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
