import { expect, it, jest } from '@jest/globals';
import { Modal } from '@patternfly/react-core';
import { fireEvent, render, renderHook } from '@testing-library/react';
import { usePaletteKey } from './use-palette-key.js';

it.each([
  { key: 'Ctrl+K', pressed: { key: 'k', ctrlKey: true }, opens: 1 },
  { key: 'Command+K', pressed: { key: 'k', metaKey: true }, opens: 1 },
  { key: 'Ctrl+Shift+K, which is of the editor', pressed: { key: 'K', ctrlKey: true, shiftKey: true }, opens: 0 },
  { key: 'Ctrl+Alt+K', pressed: { key: 'k', ctrlKey: true, altKey: true }, opens: 0 },
])('opens $opens times by $key', ({ pressed, opens }) => {
  const open = jest.fn();
  renderHook(() => usePaletteKey(open));
  fireEvent.keyDown(document.body, pressed);
  expect(open).toHaveBeenCalledTimes(opens);
});

it('leaves a key alone that somebody else has taken', () => {
  const open = jest.fn();
  renderHook(() => usePaletteKey(open));
  document.body.addEventListener('keydown', (event) => event.preventDefault(), { once: true });
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  expect(open).not.toHaveBeenCalled();
});

it('does not open over a dialog, which one Escape would close with it', () => {
  const open = jest.fn();
  renderHook(() => usePaletteKey(open));
  const { unmount } = render(
    <Modal isOpen aria-label="A token" onClose={() => undefined}>
      Copy it now
    </Modal>,
  );
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  expect(open).not.toHaveBeenCalled();
  unmount();
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  expect(open).toHaveBeenCalledTimes(1);
});
