import { afterEach, expect, it, jest } from '@jest/globals';
import { render, screen, waitFor } from '@testing-library/react';
import create from '../../i18n/en/create.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import { user } from '../cluster/testing/user.js';
import { CopyAs } from './CopyAs.js';
import type { Draft } from './draft.js';

addStrings('create', create);

const draft = { metadata: { name: 'shop', namespace: 'team-a' }, spec: {} } as Draft;
const { clipboard } = navigator;
const FAILED = /could not be copied/;

function playClipboard(value: Partial<Clipboard> | undefined): void {
  Object.defineProperty(navigator, 'clipboard', { value, configurable: true });
}
afterEach(() => playClipboard(clipboard));

it.each([
  { reason: 'refuses', value: { writeText: () => Promise.reject(new Error('NotAllowedError')) } },
  { reason: 'is missing, as without TLS', value: undefined },
])('tells what to do when the clipboard $reason, until it works', async ({ value }) => {
  render(<CopyAs draft={draft} />);
  playClipboard(value);
  await user.click(screen.getByRole('button', { name: 'Copy to clipboard' }));
  expect(await screen.findByText(FAILED)).toBeVisible();
  const writeText = jest.fn<Clipboard['writeText']>().mockResolvedValue();
  playClipboard({ writeText });
  await user.click(screen.getByRole('button', { name: 'Copy to clipboard' }));
  await waitFor(() => expect(screen.queryByText(FAILED)).toBeNull());
  expect(writeText).toHaveBeenCalledTimes(1);
});
