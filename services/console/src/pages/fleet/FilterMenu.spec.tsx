import { expect, it } from '@jest/globals';
import { render, screen, waitFor } from '@testing-library/react';
import '../../i18n/index.js';
import { user } from '../cluster/testing/user.js';
import { FilterMenu } from './FilterMenu.js';

const OPTIONS = Array.from({ length: 9 }, (_, n) => ({ word: `r${n}`, text: `Region ${n}` }));

it('offers all its options when it is opened again, whatever was searched among them before', async () => {
  render(<FilterMenu label="Region" options={OPTIONS} chosen={[]} onToggle={() => undefined} />);
  const open = async (): Promise<void> => {
    await user.click(screen.getByRole('button', { name: 'Region' }));
    await screen.findByRole('textbox');
  };
  await open();
  await user.type(screen.getByRole('textbox'), 'Region 7');
  expect(screen.queryByText('Region 1')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Region' }));
  await waitFor(() => expect(screen.queryByRole('textbox')).toBeNull());
  await open();
  expect(screen.getByRole('textbox')).toHaveValue('');
  expect(await screen.findByText('Region 1')).toBeVisible();
});
