import { expect, it } from '@jest/globals';
import { createRoute } from '@tanstack/react-router';
import { screen } from '@testing-library/react';
import { useState, type ReactElement } from 'react';
import { addStrings } from '../../../i18n/index.js';
import cluster from '../../../i18n/en/cluster.json' with { type: 'json' };
import { renderPage } from '../../../testing/render-page.js';
import { user } from '../testing/user.js';
import { LogToolbar } from './LogToolbar.js';

addStrings('cluster', cluster);

const MATCHES = [3, 6, 9];

/** A log whose first lines go while one of the others is marked. */
function Log(): ReactElement {
  const [dropped, setDropped] = useState(0);
  const [{ marked, asked }, setPlace] = useState({ marked: -1, asked: 0 });
  return (
    <>
      <LogToolbar
        query="vpc"
        onQuery={() => undefined}
        matches={MATCHES.map((index) => index - dropped).filter((index) => index >= 0)}
        line="a vpc"
        at={marked - dropped}
        asked={asked}
        onGo={(index) => setPlace({ marked: index + dropped, asked: asked + 1 })}
        runs={[]}
        isFollowing={false}
        onFollowing={() => undefined}
      />
      <button onClick={() => setDropped(5)}>Drop</button>
    </>
  );
}

it('tells the match that somebody goes to, and not again as the first lines of the log go', async () => {
  renderPage((parent) => [createRoute({ getParentRoute: parent, path: '/$project/$name', component: Log })], '/a/demo');
  const next = await screen.findByRole('button', { name: 'Next match' });
  await user.click(next);
  await user.click(next);
  expect(screen.getByRole('status')).toHaveTextContent('Match 2: a vpc');
  await user.click(screen.getByRole('button', { name: 'Drop' }));
  expect(await screen.findByText('1 / 2')).toBeVisible();
  expect(screen.getByRole('status')).toHaveTextContent('Match 2: a vpc');
});
