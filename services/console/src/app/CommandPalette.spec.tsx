import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRoute, useParams } from '@tanstack/react-router';
import { screen, waitFor } from '@testing-library/react';
import type { ReactElement } from 'react';
import { user } from '../pages/cluster/testing/user.js';
import { aPage, aRow } from '../pages/fleet/fleet-fixtures.js';
import { PlayedApi } from '../testing/played-api.js';
import { renderPage } from '../testing/render-page.js';
import { CommandPalette } from './CommandPalette.js';

const api = new PlayedApi();
const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';

function aProject(name: string, displayName?: string): object {
  return { metadata: { name, uid: name }, spec: { displayName } };
}

function Cluster(): ReactElement {
  const { name }: { readonly name?: string } = useParams({ strict: false });
  return <p>Cluster {name}</p>;
}

function Project(): ReactElement {
  const { name }: { readonly name?: string } = useParams({ strict: false });
  return <p>Project {name}</p>;
}

function show(): void {
  const component = (): ReactElement => <CommandPalette onClose={() => undefined} />;
  renderPage(
    (parent) => [
      createRoute({ getParentRoute: parent, path: '/', component }),
      createRoute({ getParentRoute: parent, path: '/clusters/$project/$name', component: Cluster }),
      createRoute({ getParentRoute: parent, path: '/projects/$name', component: Project }),
    ],
    '/',
  );
}

describe('the palette', () => {
  let isSlow: boolean;
  beforeEach(() => {
    isSlow = false;
    api.install();
    api.json('/fleet/clusters', aPage([aRow('shop'), aRow('shed')]));
    api.list(PROJECTS, [aProject('team-a'), aProject('team-b', 'Payments of Europe')]);
    const played = globalThis.fetch;
    globalThis.fetch = (input, init) => (isSlow ? new Promise(() => undefined) : played(input, init));
  });
  afterEach(() => api.remove());

  it('leads to the cluster that was typed, and not to the first that was found for less', async () => {
    show();
    const box = await screen.findByRole('textbox', { name: /Type a page/ });
    await user.type(box, 'sh');
    await screen.findByRole('menuitem', { name: /shop/ });
    isSlow = true;
    await user.type(box, 'ed');
    await waitFor(() => expect(screen.queryByRole('menuitem', { name: /shop/ })).toBeNull());
    expect(screen.getByRole('status')).toHaveTextContent('1 match; Enter goes to shed');
    await user.type(box, '{Enter}');
    expect(await screen.findByText('Cluster shed')).toBeVisible();
  });

  it('leads nowhere while nothing is known that fits', async () => {
    show();
    const box = await screen.findByRole('textbox', { name: /Type a page/ });
    await user.type(box, 'sh');
    await screen.findByRole('menuitem', { name: /shop/ });
    isSlow = true;
    await user.type(box, 'x{Enter}');
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
    expect(screen.queryByText(/^Cluster/)).toBeNull();
  });

  it.each(['team-b', 'europe pay'])('leads to the Project that %s means, before its clusters', async (text) => {
    api.json('/fleet/clusters', aPage([aRow('shop', { namespace: 'team-b' })]));
    show();
    await user.type(await screen.findByRole('textbox', { name: /Type a page, a cluster or a project/ }), text);
    await screen.findByRole('menuitem', { name: /shop/ });
    expect(await screen.findByRole('menuitem', { name: /team-b Payments of Europe/ })).toBeVisible();
    expect(screen.queryByRole('menuitem', { name: /team-a/ })).toBeNull();
    expect(screen.getByRole('status')).toHaveTextContent('2 matches; Enter goes to team-b');
    await user.keyboard('{Enter}');
    expect(await screen.findByText('Project team-b')).toBeVisible();
  });

  it('does not say that nothing matches before it knows the Projects', async () => {
    api.json('/fleet/clusters', aPage([]));
    api.refuse(PROJECTS, 403, { reason: 'Forbidden', message: 'not you' });
    show();
    await user.type(await screen.findByRole('textbox', { name: /Type a page/ }), 'team-z');
    await waitFor(() => expect(api.calls.map(({ call }) => call)).toContain('GET /fleet/clusters'));
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
  });

  it('says that nothing matches once that is known, also of a text that is longer than what can be looked for', async () => {
    const asked: (string | null)[] = [];
    api.answer('/fleet/clusters', (query) => {
      asked.push(query.get('q'));
      return aPage([]);
    });
    show();
    await user.click(await screen.findByRole('textbox', { name: /Type a page/ }));
    await user.paste('x'.repeat(300));
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent(/^Nothing matches “xxx/));
    expect(asked).toEqual(['x'.repeat(200)]);
  });
});
