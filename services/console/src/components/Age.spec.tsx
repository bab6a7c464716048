import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { act, render, screen } from '@testing-library/react';
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
