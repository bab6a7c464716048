import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { act, render, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import '../i18n/index.js';
import { AN_ADMIN } from '../testing/render-page.js';
import { SessionProvider } from './session-context.js';
import { SessionEnd } from './SessionEnd.js';

const MINUTE_MS = 60_000;

beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-01-31T12:00:00Z') }));
afterEach(() => void jest.useRealTimers());

const until = (expiresAt: string | null): ReactElement => (
  <SessionProvider value={{ ...AN_ADMIN, expiresAt }}>
    <SessionEnd />
  </SessionProvider>
);

it('is told while there is time to sign in anew, and no more once that is done', () => {
  const { rerender } = render(until('2026-01-31T12:10:00Z'));
  const told = screen.getByRole('status');
  act(() => jest.advanceTimersByTime(4 * MINUTE_MS));
  expect(told).toBeEmptyDOMElement();
  act(() => jest.advanceTimersByTime(2 * MINUTE_MS));
  expect(told).toHaveTextContent(/^Session ends .* Sign in anew in another tab$/);
  expect(screen.getByRole('link')).toHaveAttribute('href', '/console/sign-in');
  rerender(until('2026-01-31T20:00:00Z'));
  expect(told).toBeEmptyDOMElement();
});

it('is not told of a session of which nobody knows when it ends', () => {
  render(until(null));
  act(() => jest.advanceTimersByTime(1000 * MINUTE_MS));
  expect(screen.getByRole('status')).toBeEmptyDOMElement();
});
