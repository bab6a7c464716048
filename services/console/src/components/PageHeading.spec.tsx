import { expect, it } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import '../i18n/index.js';
import { PageHeading } from './PageHeading.js';

it('takes the focus that went with the page before, and takes it from nothing', () => {
  const pageOf = (title: string): ReactElement => (
    <>
      <a href="/elsewhere">Stays</a>
      <PageHeading key={title} title={title} />
    </>
  );
  const { rerender } = render(pageOf('First'));
  expect(document.body).toHaveFocus();
  rerender(pageOf('Second'));
  expect(screen.getByRole('heading', { name: 'Second' })).toHaveFocus();
  screen.getByRole('link').focus();
  rerender(pageOf('Third'));
  expect(screen.getByRole('link')).toHaveFocus();
});
