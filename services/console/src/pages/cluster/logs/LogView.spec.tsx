import { expect, it, jest } from '@jest/globals';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import '../../../i18n/index.js';
import { parseLogLine } from './log-line.js';
import { LogView } from './LogView.js';

const LINE_HEIGHT = 21;

it('keeps the marked line and the place where somebody reads when the first lines go', async () => {
  // No document of a test has heights, or scrolls.
  jest.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(10 * LINE_HEIGHT);
  jest.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(50 * LINE_HEIGHT);
  jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(LINE_HEIGHT);
  const all = Array.from({ length: 60 }, (_, n) => parseLogLine(`2026-11-22T15:21:00.0000${n}Z [rke] line ${n}`));
  const view = (dropped: number): React.ReactElement => {
    const part = { lines: all.slice(dropped, dropped + 50), dropped, marked: 5, asked: 1 };
    return <LogView {...part} query="" isFollowing={false} onLeaveEnd={() => undefined} />;
  };
  const { rerender, container } = render(view(0));
  const marked = (): string | null | undefined => container.querySelector('.crate-log-at')?.textContent;
  await waitFor(() => expect(marked()).toContain('line 5'));
  expect(container.querySelector('[aria-current=true]')).toHaveClass('crate-log-at');
  const box = screen.getByRole('log');
  box.scrollTo = (to?: ScrollToOptions | number) => void (box.scrollTop = typeof to === 'object' ? (to.top ?? 0) : 0);
  box.scrollTop = 8 * LINE_HEIGHT + 4;
  fireEvent.scroll(box);
  rerender(view(3));
  expect(marked()).toContain('line 5');
  expect(box.scrollTop).toBe(5 * LINE_HEIGHT + 4);
});
