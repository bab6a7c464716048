import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { render, screen, waitFor, type RenderResult } from '@testing-library/react';
import type { ReactElement } from 'react';
import { user } from '../../pages/cluster/testing/user.js';
import { TextFilter } from './TextFilter.js';

const onChange = jest.fn<(text: string) => void>();
let page: RenderResult;

const field = (): HTMLElement => screen.getByRole('textbox', { name: 'Search' });
const filter = (value?: string): ReactElement => <TextFilter label="Search" value={value} onChange={onChange} />;

/** The URL has followed what was typed so far. */
async function sent(text: string): Promise<void> {
  await waitFor(() => expect(onChange).toHaveBeenLastCalledWith(text));
}

describe('a search whose words the URL holds', () => {
  beforeEach(() => {
    onChange.mockClear();
    page = render(filter());
  });

  it('keeps every letter, though the URL says late what was typed', async () => {
    await user.type(field(), 'a');
    expect(field()).toHaveValue('a');
    await sent('a');
    await user.type(field(), 'b');
    await sent('ab');
    await user.type(field(), 'c');
    page.rerender(filter('a'));
    expect(field()).toHaveValue('abc');
    page.rerender(filter('ab'));
    expect(field()).toHaveValue('abc');
    await sent('abc');
  });

  it('says what others put into the URL, such as the way back', async () => {
    await user.type(field(), 'a');
    await sent('a');
    page.rerender(filter('a'));
    page.rerender(filter('other'));
    expect(field()).toHaveValue('other');
    page.rerender(filter());
    expect(field()).toHaveValue('');
  });
});
