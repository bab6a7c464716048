import { useEffect } from 'react';

/** Calls `open` on Ctrl+K, or Command+K; with other keys, where somebody else took it, and over a dialog, it is another one. */
export function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || !isPaletteKey(event)) return;
      event.preventDefault();
      if (!isInDialog()) open();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [open]);
}

function isPaletteKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !shiftKey && !altKey;
}

/** Every dialog that is open hears Escape: what is under the palette would be closed with it. */
function isInDialog(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}
