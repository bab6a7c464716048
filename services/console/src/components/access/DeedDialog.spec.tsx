import { afterEach, expect, it, jest } from '@jest/globals';
import { onlineManager, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { ApiError, unreachable } from '../../api/api-error.js';
import { queryClient } from '../../app/query-client.js';
import '../../i18n/index.js';
import { DeedDialog } from './DeedDialog.js';

/** A dialog whose deed ends when the test says so. */
function show({ isDanger = false } = {}): {
  readonly end: { readonly done: () => void; readonly refused: (error: ApiError) => void };
  readonly onClose: jest.Mock<() => void>;
} {
  let end = { done: (): void => undefined, refused: (_error: ApiError): void => undefined };
  const deed = new Promise<void>((done, refused) => void (end = { done, refused }));
  const onClose = jest.fn<() => void>();
  render(
    <QueryClientProvider client={queryClient}>
      <DeedDialog isDanger={isDanger} title="Delete it" submit="Delete" onSubmit={() => deed} onClose={onClose}>
        Sure?
      </DeedDialog>
    </QueryClientProvider>,
  );
  return { end, onClose };
}

afterEach(() => onlineManager.setOnline(true));

const button = (name: RegExp): HTMLElement => screen.getByRole('button', { name });

it('stays while its deed is under way, and says why it was refused to who asked for it', async () => {
  const { end, onClose } = show();
  await userEvent.click(button(/Delete/));
  await userEvent.click(button(/Cancel/));
  await userEvent.click(button(/Close/));
  button(/Delete/).focus();
  await userEvent.keyboard('{Escape}');
  expect(onClose).not.toHaveBeenCalled();
  await act(async () => end.refused(new ApiError(403, 'Forbidden', 'You may not')));
  expect(await screen.findByText('You may not')).toBeVisible();
  expect(button(/Delete/)).toHaveFocus();
  await userEvent.click(button(/Cancel/));
  expect(onClose).toHaveBeenCalledTimes(1);
});

it('is closed by its deed once it is done', async () => {
  const { end, onClose } = show();
  await userEvent.click(button(/Delete/));
  await act(async () => end.done());
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
});

it('asks at once where the browser says that there is no network, and says that nobody answered', async () => {
  const { end } = show();
  act(() => onlineManager.setOnline(false));
  await userEvent.click(button(/Delete/));
  await act(async () => end.refused(unreachable(new TypeError('Failed to fetch'))));
  expect(await screen.findByText(/did not answer: look whether it was done/)).toBeVisible();
  // Why, browsers say in words of their own.
  expect(screen.queryByText('Failed to fetch')).toBeNull();
});

it('tells what a dangerous deed takes with it as soon as it opens', () => {
  show({ isDanger: true });
  expect(screen.getByRole('dialog')).toHaveAccessibleDescription(/Sure\?/);
});
