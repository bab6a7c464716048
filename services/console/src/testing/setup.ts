import '@testing-library/jest-dom/jest-globals';
import { configure } from '@testing-library/dom';
import { act } from '@testing-library/react';
import { notifyManager } from '@tanstack/react-query';
import '../i18n/index.js';

// What is waited for comes when it comes: the first page of a file draws the whole library for the first time, on a machine that is busy.
configure({ asyncUtilTimeout: 60_000 });

// Answers come between two turns of a test: what they change is drawn before it goes on.
notifyManager.setNotifyFunction((notify) => act(notify));

// jsdom has no layout to scroll.
window.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;
Element.prototype.scrollTo = () => undefined;
// Nor does it paint.
HTMLCanvasElement.prototype.getContext = () => null;

// Nor has it a size of its own: the page is as wide as the widest, and nothing changes its size.
if (!('matchMedia' in window)) {
  const matchMedia = (media: string): unknown => ({
    matches: true,
    media,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  });
  Object.assign(window, { matchMedia });
}
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
// The editor asks where its text is.
if (!('getClientRects' in Range.prototype)) {
  Object.assign(Range.prototype, { getClientRects: () => [], getBoundingClientRect: () => ({ top: 0, left: 0 }) });
}
