import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const CLASS = 'pf-v6-theme-dark';
const KEY = 'crate-theme';

/** Theme in use, and how to change it; the choice is kept in this browser (`public/start.js` reads it first). */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, currentTheme), setTheme];
}

function currentTheme(): Theme {
  return document.documentElement.classList.contains(CLASS) ? 'dark' : 'light';
}

function setTheme(theme: Theme): void {
  document.documentElement.classList.toggle(CLASS, theme === 'dark');
  localStorage.setItem(KEY, theme);
}

/** Whoever changes it: a person here, or `start.js` when the system does. */
function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['class'] });
  return () => observer.disconnect();
}
