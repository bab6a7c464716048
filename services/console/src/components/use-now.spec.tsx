import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import { useNow } from './use-now.js';

const HOUR_MS = 3_600_000;

beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-01-31T12:00:00Z') }));
afterEach(() => void jest.useRealTimers());

it('is the time, though nobody asked for it meanwhile', () => {
  const { unmount } = renderHook(() => useNow());
  unmount();
  jest.setSystemTime(Date.now() + HOUR_MS);
  const drawn: number[] = [];
  renderHook(() => drawn.push(useNow()));
  expect(new Set(drawn)).toEqual(new Set([Date.now()]));
  act(() => jest.advanceTimersByTime(1000));
  expect(drawn.at(-1)).toBe(Date.parse('2026-01-31T13:00:01Z'));
});
