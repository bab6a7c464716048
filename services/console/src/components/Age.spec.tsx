import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { act, render, screen } from '@testing-library/react';
import { Profiler } from 'react';
import '../i18n/index.js';
import { Age } from './Age.js';

beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-01-31T12:00:00Z') }));
afterEach(() => void jest.useRealTimers());

it('grows in silence where news are told', () => {
  render(
    <p role="status">
      The platform cannot be reached <Age since="2026-01-31T11:59:50Z" />
    </p>,
  );
  const age = screen.getByText('10 s');
  act(() => jest.advanceTimersByTime(1000));
  expect(age).toHaveTextContent('11 s');
  expect(age.closest('[aria-live]')).toHaveAttribute('aria-live', 'off');
});

it('is drawn anew only when it says something else', () => {
  const onRender = jest.fn();
  render(
    <Profiler id="age" onRender={onRender}>
      <Age since="2026-01-31T11:50:00Z" />
    </Profiler>,
  );
  onRender.mockClear();
  act(() => jest.advanceTimersByTime(30_000));
  expect(onRender).not.toHaveBeenCalled();
  act(() => jest.advanceTimersByTime(31_000));
  expect(screen.getByText('11 min')).toBeVisible();
});
