import { expect, it } from '@jest/globals';
import { createRoute, Link, type AnyRoute } from '@tanstack/react-router';
import { screen } from '@testing-library/react';
import { useState, type ReactElement } from 'react';
import { user } from '../pages/cluster/testing/user.js';
import { renderPage } from '../testing/render-page.js';
import { PageHeading } from './PageHeading.js';

/** A page whose heading is another one once it has what it shows. */
function First(): ReactElement {
  const [isThere, setThere] = useState(false);
  const come = (): void => {
    (document.activeElement as HTMLElement).blur();
    setThere(true);
  };
  return (
    <>
      <button onClick={come}>Come</button>
      <PageHeading key={String(isThere)} title={isThere ? 'First' : 'Coming'} />
      <Link to="/second">On</Link>
    </>
  );
}

function Second(): ReactElement {
  const [part, setPart] = useState(1);
  return (
    <>
      <PageHeading key={part} title={`Second ${part}`} />
      <button onClick={() => setPart(2)}>Stays</button>
    </>
  );
}

function routes(parent: () => AnyRoute): AnyRoute[] {
  const page = (path: string, component: () => ReactElement): AnyRoute =>
    createRoute({ getParentRoute: parent, path, component });
  return [page('/', First), page('/second', Second)];
}

it('takes the focus that went with the page before, and takes it from nothing', async () => {
  renderPage(routes, '/');
  await user.click(await screen.findByRole('button', { name: 'Come' }));
  // Where the first page begins the browser says, however often its heading is another one.
  await screen.findByRole('heading', { name: 'First' });
  expect(document.body).toHaveFocus();
  await user.click(screen.getByRole('link', { name: 'On' }));
  expect(await screen.findByRole('heading', { name: 'Second 1' })).toHaveFocus();
  await user.click(screen.getByRole('button', { name: 'Stays' }));
  await screen.findByRole('heading', { name: 'Second 2' });
  expect(screen.getByRole('button', { name: 'Stays' })).toHaveFocus();
});
