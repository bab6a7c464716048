import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { FleetPage as Page, FleetRow } from '@crate/api';
import { axeFindings } from '../../testing/axe.js';
import { PlayedApi, type PlayedWatch } from '../../testing/played-api.js';
import { renderPage } from '../../testing/render-page.js';
import { aPage, aRow } from './fleet-fixtures.js';
import { fleetRoutes } from './routes.js';
import { forgetFleet } from './use-fleet.js';

const PATH = '/fleet/clusters';
const api = new PlayedApi();

const FAILING = aRow('shop', {
  health: 'Failing',
  attention: 90,
  cause: {
    condition: 'InfrastructureReady',
    reason: 'QuotaExceeded',
    message: 'No room for more machines',
    since: '2026-01-01T00:00:00Z',
    remedy: 'Ask for a higher quota',
  },
});

/** Opens the page and answers its first stream. */
async function open(page: Page, path = '/'): Promise<{ container: HTMLElement; watch: PlayedWatch }> {
  api.json(PATH, page);
  const { container } = renderPage(fleetRoutes, path);
  const watch = await api.watchOf(PATH);
  await act(async () => watch.send({ type: 'PAGE', page }));
  return { container, watch };
}

function names(): readonly string[] {
  return screen.getAllByRole('link', { name: /^(shop|web|many)/ }).map(({ textContent }) => textContent);
}

async function push(watch: PlayedWatch, rows: readonly FleetRow[]): Promise<void> {
  await act(async () => watch.send({ type: 'PAGE', page: aPage(rows) }));
}

describe('the fleet', () => {
  beforeEach(() => {
    api.install();
    forgetFleet();
    localStorage.clear();
    // jsdom lays nothing out; rows are drawn for what is in view.
    jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
    jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(60);
  });
  afterEach(() => {
    cleanup();
    api.remove();
    jest.restoreAllMocks();
  });

  it('says what needs somebody, and why in words', async () => {
    const { container } = await open(aPage([FAILING, aRow('web')]));
    expect(await screen.findByText('No room for more machines')).toBeVisible();
    expect(screen.getByText(/To do: Ask for a higher quota/)).toBeVisible();
    expect(screen.getByRole('columnheader', { name: 'Health' })).toHaveAttribute('aria-sort', 'descending');
    expect(screen.getByRole('link', { name: 'shop' })).toHaveAttribute('href', '/console/clusters/team-a/shop');
    expect(await axeFindings(container)).toEqual([]);
  });

  it('says how far work is rather than that it goes on', async () => {
    const progress = { step: 3, steps: 12, message: 'Creating machines' };
    await open(aPage([aRow('web', { ...FAILING, uid: 'w', name: 'web', health: 'Progressing', progress })]));
    expect(await screen.findByText('Creating machines')).toBeVisible();
    expect(screen.getByText('Step 3 of 12')).toBeVisible();
    expect(screen.queryByText('No room for more machines')).toBeNull();
  });

  it('shows changes as they come', async () => {
    const { watch } = await open(aPage([FAILING, aRow('web')]));
    await screen.findByText('shop');
    await push(watch, [aRow('web'), aRow('shop')]);
    await waitFor(() => expect(names()).toEqual(['web', 'shop']));
    expect(screen.queryByText('No room for more machines')).toBeNull();
  });

  it('keeps rows in place under a pointer, tells how many moved, and moves them on demand', async () => {
    const { watch } = await open(aPage([FAILING, aRow('web')]));
    fireEvent.pointerMove(await screen.findByText('shop'));
    await push(watch, [aRow('web', { version: 'v1.32.4' }), FAILING]);
    expect(await screen.findByText('2 rows have changed their places')).toBeVisible();
    expect(names()).toEqual(['shop', 'web']);
    expect(screen.getByText('Rows have changed their places')).toHaveAttribute('role', 'status');
    // What the rows say is new all the same.
    expect(screen.getByText('v1.32.4', { selector: 'td *' })).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Show now' }));
    expect(names()).toEqual(['web', 'shop']);
  });

  it('keeps them in place under a pointer, too, when it comes back after a break', async () => {
    const { watch } = await open(aPage([FAILING, aRow('web')]));
    fireEvent.pointerMove(await screen.findByText('shop'));
    await act(async () => watch.end());
    await push(await api.watchOf(PATH), [aRow('web'), FAILING]);
    expect(await screen.findByText('2 rows have changed their places')).toBeVisible();
    expect(names()).toEqual(['shop', 'web']);
  });

  it('is not held any more by what somebody aimed at before leaving the page', async () => {
    await open(aPage([FAILING, aRow('web')]));
    fireEvent.pointerMove(await screen.findByText('shop'));
    cleanup();
    const { watch } = await open(aPage([FAILING, aRow('web')]));
    await screen.findByText('shop');
    await push(watch, [aRow('web'), FAILING]);
    await waitFor(() => expect(names()).toEqual(['web', 'shop']));
  });

  it('asks the server for what the URL says', async () => {
    const path = '/?health=Failing,Blocked&q=shop&sort=-cost&columns=health';
    api.json(PATH, aPage([FAILING]));
    renderPage(fleetRoutes, path);
    const { query } = await api.watchOf(PATH);
    expect(Object.fromEntries(query)).toMatchObject({
      health: 'Failing,Blocked',
      q: 'shop',
      sort: '-cost',
      offset: '0',
    });
  });

  it('filters by a press on a number, and sorts by a heading', async () => {
    await open(aPage([FAILING, aRow('web')]));
    await userEvent.click(await screen.findByRole('button', { name: /Failing 1/ }));
    expect((await api.watchOf(PATH)).query.get('health')).toBe('Failing');
    await userEvent.click(screen.getByRole('button', { name: 'Name' }));
    expect((await api.watchOf(PATH)).query.get('sort')).toBe('name');
  });

  it('counts what another health would show beside the one that is chosen', async () => {
    const { watch } = await open(aPage([FAILING, aRow('web'), aRow('many')]), '/?health=Failing');
    await push(watch, [FAILING]);
    expect(await screen.findByRole('button', { name: /Healthy 2/ })).toHaveAttribute('aria-pressed', 'false');
    expect(screen.getByRole('button', { name: /Failing 1/ })).toHaveAttribute('aria-pressed', 'true');
  });

  it('draws only what is in view of a large fleet, and goes through it by keys', async () => {
    const rows = Array.from({ length: 100 }, (_none, index) => aRow(`many-${index}`));
    await open(aPage(rows, { total: 5000, matching: 5000 }));
    const table = await screen.findByRole('grid', { name: 'Clusters' });
    expect(table).toHaveAttribute('aria-rowcount', '5001');
    expect(within(table).getAllByRole('row').length).toBeLessThan(60);
    act(() => screen.getByRole('link', { name: 'many-0' }).focus());
    await userEvent.keyboard('{ArrowDown}{ArrowDown}');
    expect(screen.getByRole('link', { name: 'many-2' })).toHaveFocus();
  });

  it('draws no row that is not loaded, and says that the table is not complete', async () => {
    const { watch } = await open(aPage([aRow('many-0')], { total: 5000, matching: 5000 }));
    const table = await screen.findByRole('grid', { name: 'Clusters' });
    expect(names()).toEqual(['many-0']);
    expect(table.querySelector('tbody')).toHaveAttribute('aria-busy', 'true');
    const rows = Array.from({ length: 100 }, (_none, index) => aRow(`many-${index}`));
    await act(async () => watch.send({ type: 'PAGE', page: aPage(rows, { total: 5000, matching: 5000 }) }));
    await waitFor(() => expect(names().length).toBeGreaterThan(8));
    expect(table.querySelector('tbody')).toHaveAttribute('aria-busy', 'false');
  });

  it.each([
    ['its link', () => screen.getByRole('link', { name: 'shop' })],
    ['the row', () => screen.getByText('us-east-1', { selector: 'td *' })],
  ])('opens a cluster by a press on %s, without loading the page anew', async (_what, target) => {
    await open(aPage([aRow('shop')]));
    await screen.findByText('shop');
    // What nobody handled is what the browser would do.
    expect(fireEvent.click(target())).toBe(false);
    await waitFor(() => expect(screen.queryByRole('grid', { name: 'Clusters' })).toBeNull());
  });

  it('leaves it to the browser to open a cluster in another tab', async () => {
    await open(aPage([aRow('shop')]));
    expect(fireEvent.click(await screen.findByText('shop'), { ctrlKey: true })).toBe(true);
    expect(screen.getByRole('grid', { name: 'Clusters' })).toBeVisible();
  });

  it('keeps views by name, each person their own', async () => {
    localStorage.setItem('crate-fleet-views:vera', '[{"name":"Hers","search":{}}]');
    await open(aPage([FAILING]), '/?health=Failing');
    await userEvent.click(await screen.findByRole('button', { name: 'Views' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Save this view' }));
    await userEvent.type(screen.getByRole('textbox', { name: /Name/ }), 'Mine');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(JSON.parse(localStorage.getItem('crate-fleet-views:ada') ?? '')).toEqual([
      { name: 'Mine', search: { health: 'Failing' } },
    ]);
    await waitFor(() => expect(screen.getByRole('button', { name: 'Views' })).toHaveFocus());
    await userEvent.click(screen.getByRole('button', { name: 'Views' }));
    expect(screen.queryByRole('menuitem', { name: 'Hers' })).toBeNull();
    await userEvent.click(screen.getByRole('menuitem', { name: 'Everything' }));
    expect(screen.getByRole('button', { name: 'Views' })).toHaveFocus();
    await userEvent.click(screen.getByRole('button', { name: 'Views' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Mine' }));
    await waitFor(() =>
      expect(screen.getByRole('button', { name: /Failing 1/ })).toHaveAttribute('aria-pressed', 'true'),
    );
  });

  it('shows how an empty fleet gets its first cluster', async () => {
    const { container } = await open(aPage([]));
    expect(await screen.findByText('There is no cluster yet')).toBeVisible();
    expect(screen.getAllByRole('link', { name: 'New cluster' })[0]).toHaveAttribute('href', '/console/create');
    expect(await axeFindings(container)).toEqual([]);
  });

  it('leads nowhere to making a cluster where the platform looks after its own', async () => {
    api.json('/platform/status', { kind: 'PlatformStatus', detail: 'summary', inCluster: true });
    await open(aPage([]));
    expect(await screen.findByText(/looks after the cluster that it runs in/)).toBeVisible();
    expect(screen.queryByRole('link', { name: 'New cluster' })).toBeNull();
  });

  it('offers to take filters away that leave nothing', async () => {
    await open(aPage([], { total: 7, matching: 0 }), '/?q=nobody');
    await screen.findByText('No cluster matches');
    await userEvent.click(screen.getAllByRole('button', { name: 'Clear all filters' }).at(-1) as HTMLElement);
    expect((await api.watchOf(PATH)).query.has('q')).toBe(false);
  });

  it('tells what a search found once, and not with every change', async () => {
    const { watch } = await open(aPage([FAILING, aRow('web')]));
    const told = (): readonly string[] =>
      screen.getAllByRole('status').flatMap(({ textContent }) => (textContent === '' ? [] : [textContent]));
    await userEvent.click(await screen.findByRole('button', { name: /Failing 1/ }));
    const next = await api.watchOf(PATH);
    await act(async () => next.send({ type: 'PAGE', page: aPage([FAILING], { total: 2, matching: 1 }) }));
    await waitFor(() => expect(told()).toEqual(['1 of 2 clusters']));
    await act(async () => next.send({ type: 'PAGE', page: aPage([FAILING, aRow('web')]) }));
    await screen.findByText('2 of 2 clusters');
    expect(told()).toEqual(['1 of 2 clusters']);
    expect(watch.query.has('health')).toBe(false);
  });

  it('says what is wrong with an old bookmark, and has the way back to everything', async () => {
    const played = globalThis.fetch;
    const status = { kind: 'Status', code: 400, reason: 'BadRequest', message: 'sort: must be one of name, cost' };
    globalThis.fetch = (input, init) =>
      (input as string).includes('sort=size')
        ? Promise.resolve(Response.json(status, { status: 400 }))
        : played(input, init);
    renderPage(fleetRoutes, '/?sort=size&health=Failing');
    expect(await screen.findByText(/must be one of name, cost/)).toBeVisible();
    expect(screen.getByRole('textbox', { name: /^Search by/ })).toBeVisible();
    expect(screen.getByRole('button', { name: 'Close Failing' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Everything' }));
    await push(await api.watchOf(PATH), [aRow('web')]);
    await waitFor(() => expect(names()).toEqual(['web']));
  });

  it('leaves the field of a refused search to who goes on typing, until there is an answer and after it', async () => {
    const refused: (() => void)[] = [];
    const played = globalThis.fetch;
    const status = { kind: 'Status', code: 400, reason: 'BadRequest', message: 'sort: must be one of name, cost' };
    globalThis.fetch = (input, init) =>
      (input as string).includes('sort=size') && (input as string).includes('watch=true')
        ? new Promise((resolve) => void refused.push(() => resolve(Response.json(status, { status: 400 }))))
        : played(input, init);
    renderPage(fleetRoutes, '/?sort=size');
    await waitFor(() => expect(refused).toHaveLength(1));
    act(refused[0] as () => void);
    const field = await screen.findByRole('textbox', { name: /^Search by/ });
    await userEvent.type(field, 'shop');
    await waitFor(() => expect(refused).toHaveLength(2));
    expect(field).toHaveFocus();
    await act(async () => refused[1]?.());
    expect(await screen.findByText(/must be one of name, cost/)).toBeVisible();
    expect(field).toHaveFocus();
    expect(field).toHaveValue('shop');
  });

  it('looks for the beginning of a text that is longer than what can be looked for', async () => {
    api.json(PATH, aPage([FAILING]));
    renderPage(fleetRoutes, `/?q=${'x'.repeat(300)}`);
    expect((await api.watchOf(PATH)).query.get('q')).toBe('x'.repeat(200));
  });

  it('leaves nothing below the toolbar when the last filter is taken away, whose choices are gone with it', async () => {
    const page = aPage([aRow('web')]);
    const { rollup } = page;
    await open({ ...page, rollup: { ...rollup, byProvider: [] } }, '/?provider=gone');
    expect(await screen.findByRole('button', { name: 'Clear all filters' })).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Close gone' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Clear all filters' })).toBeNull());
  });

  it('comes back by itself after a break, and shows what was known meanwhile', async () => {
    const { watch } = await open(aPage([FAILING]));
    await screen.findByText('shop');
    await act(async () => watch.end());
    const again = await api.watchOf(PATH);
    await push(again, [aRow('web')]);
    await waitFor(() => expect(names()).toEqual(['web']));
  });

  it('comes back, too, from a platform that was restarted and does not serve it yet', async () => {
    const { watch } = await open(aPage([FAILING]));
    await screen.findByText('shop');
    const played = globalThis.fetch;
    const unknown = { kind: 'Status', code: 404, reason: 'NotFound', message: 'no such path' };
    globalThis.fetch = () => {
      globalThis.fetch = played;
      return Promise.resolve(Response.json(unknown, { status: 404 }));
    };
    await act(async () => watch.end());
    const again = await api.watchOf(PATH);
    await push(again, [aRow('web')]);
    await waitFor(() => expect(names()).toEqual(['web']));
  });
});
