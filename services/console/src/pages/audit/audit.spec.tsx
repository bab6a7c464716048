import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../api/use-live.js';
import { axeFindings } from '../../testing/axe.js';
import { PlayedApi } from '../../testing/played-api.js';
import { AN_ADMIN, renderPage } from '../../testing/render-page.js';
import { user } from '../cluster/testing/user.js';
import { fieldSelectorOf, findEntries } from './audit-search.js';
import { auditRoutes } from './routes.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const ALL = `${LIFECYCLE}/auditevents`;
const OF_TEAM_A = `${LIFECYCLE}/namespaces/team-a/auditevents`;
const NOW = Date.parse('2026-01-31T12:00:00Z');
const api = new PlayedApi();

function entry(seq: number, over: object = {}): object {
  return {
    metadata: { name: `lifecycle.${seq}`, namespace: 'team-a' },
    time: `2026-01-31T11:0${seq}:00Z`,
    service: 'lifecycle',
    user: 'vera',
    groups: ['team-a'],
    traceId: 'abc',
    verb: 'patch',
    object: {
      group: 'lifecycle.crate.dev',
      resource: 'clusters',
      subresource: 'scale',
      namespace: 'team-a',
      name: 'demo',
    },
    decision: 'allowed',
    code: 200,
    changes: [{ path: '/spec/nodePools/0/replicas', from: 2, to: 4 }],
    chain: { seq, hash: '9f86d081884c7d65' },
    ...over,
  };
}

/** What the last list of `path` was asked by. */
function watchQueries(): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  const played = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = new URL(input as string, 'https://crate');
    if (url.pathname.endsWith('/auditevents')) asked.push(url.searchParams);
    return played(input, init);
  };
  return asked;
}

describe('the audit log', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(`${LIFECYCLE}/projects`, [{ metadata: { name: 'team-a' } }]);
    api.list(ALL, [entry(1), entry(2, { user: 'otto', decision: 'denied', code: 403, reason: 'Forbidden' })]);
  });
  afterEach(() => api.remove());

  it('keeps what was found when it cannot be asked for again, and says so', async () => {
    renderPage(auditRoutes, '/audit');
    await screen.findByText(/^2 entries/);
    api.fail(ALL);
    await user.click(screen.getByRole('button', { name: 'Search again' }));
    expect(await screen.findByText('This could not be loaded')).toBeVisible();
    expect(screen.getByText(/^2 entries/)).toBeVisible();
  });

  it('is shown with the newest first', async () => {
    const { container } = renderPage(auditRoutes, '/audit');
    const table = await screen.findByRole('grid', { name: 'Audit' });
    const [, first, second] = within(table).getAllByRole('row');
    expect(first).toHaveTextContent(/otto.*clusters\/scale demo.*Denied · 403 · Forbidden/);
    expect(second).toHaveTextContent(/vera.*Allowed · 200/);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('tells what was only tried out from what was done', async () => {
    api.list(ALL, [entry(1), entry(2, { user: 'otto', dryRun: true })]);
    renderPage(auditRoutes, '/audit');
    const [, first, second] = within(await screen.findByRole('grid', { name: 'Audit' })).getAllByRole('row');
    expect(first).toHaveTextContent(/otto.*Tried out only/);
    expect(second).not.toHaveTextContent('Tried out only');
  });

  it('is searched by what the person filled in, once it is sent', async () => {
    const asked = watchQueries();
    renderPage(auditRoutes, '/audit');
    await screen.findByRole('grid', { name: 'Audit' });
    await user.type(screen.getByRole('textbox', { name: 'Who' }), 'vera');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Decision' }), 'denied');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Since' }), 'all');
    expect(asked).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: 'Search' }));
    await waitFor(() => expect(asked.at(-1)?.get('fieldSelector')).toBe('user=vera,decision=denied'));
    const link = await screen.findByRole('link', { name: 'Export as JSON lines' });
    expect(link).toHaveAttribute('href', '/audit/events?fieldSelector=user%3Dvera%2Cdecision%3Ddenied');
  });

  it('is searched up to a time, from which "Since" counts back', async () => {
    const asked = watchQueries();
    renderPage(auditRoutes, '/audit');
    const until = await screen.findByLabelText('Until');
    fireEvent.change(until, { target: { value: '2026-01-27T16:00' } });
    await user.selectOptions(screen.getByRole('combobox', { name: 'Since' }), '1h');
    await user.click(screen.getByRole('button', { name: 'Search' }));
    const [since, end] = [new Date('2026-01-27T15:00'), new Date('2026-01-27T16:00')].map((time) => time.toISOString());
    await waitFor(() => expect(asked.at(-1)?.get('fieldSelector')).toBe(`since=${since},until=${end}`));
    expect(until).toHaveValue('2026-01-27T16:00');
    const link = await screen.findByRole('link', { name: 'Export as JSON lines' });
    expect(link.getAttribute('href')).toContain(encodeURIComponent(`until=${end}`));
  });

  it('shows the time of an address as it is here', async () => {
    renderPage(auditRoutes, `/audit?until=${new Date('2026-01-27T16:00').toISOString()}`);
    expect(await screen.findByLabelText('Until')).toHaveValue('2026-01-27T16:00');
  });

  it('keeps the focus where it is when it is searched, and tells what was found', async () => {
    renderPage(auditRoutes, '/audit');
    await screen.findByText(/^2 entries/);
    const told = screen.getAllByRole('status').find((each) => /^2 entries/.test(each.textContent)) as HTMLElement;
    const who = screen.getByRole('textbox', { name: 'Who' });
    api.list(ALL, []);
    await user.type(who, ' vera {Enter}');
    await waitFor(() => expect(told).toHaveTextContent(/^No entry matches/));
    expect(who).toHaveFocus();
    await user.type(who, 'x');
    expect(screen.getByRole('textbox', { name: 'Who' })).toHaveValue(' vera x');
    const clear = screen.getByRole('button', { name: 'Clear' });
    api.list(ALL, [entry(1), entry(2)]);
    await user.click(clear);
    await waitFor(() => expect(told).toHaveTextContent(/^2 entries/));
    expect(clear).toHaveFocus();
  });

  it('is searched for nothing after "Clear", whether what was filled in was sent or not', async () => {
    renderPage(auditRoutes, '/audit');
    const who = await screen.findByRole('textbox', { name: 'Who' });
    await user.type(who, 'vera');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Since' }), 'all');
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    expect(who).toHaveValue('');
    expect(screen.getByRole('combobox', { name: 'Since' })).toHaveValue('24h');
  });

  it('is of their own Project for who runs no platform, who cannot verify it', async () => {
    api.list(OF_TEAM_A, []);
    const { container } = renderPage(auditRoutes, '/audit', { ...AN_ADMIN, platformAdmin: false });
    expect(await screen.findByRole('heading', { name: 'No entry matches' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Verify' })).toBeNull();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('opens an entry by its address, with each change, though the search does not find it', async () => {
    api.list(ALL, []);
    api.json(`${OF_TEAM_A}/lifecycle.1`, entry(1));
    renderPage(auditRoutes, '/audit?entry=team-a%2Flifecycle.1');
    const dialog = await screen.findByRole('dialog', { name: 'patch clusters/scale demo' });
    const row = within(dialog).getByRole('row', { name: /replicas/ });
    expect(row).toHaveTextContent('/spec/nodePools/0/replicas24');
    expect(within(dialog).getByText('1: 9f86d081884c7d65')).toBeVisible();
    expect(await axeFindings(dialog)).toEqual([]);
    await user.click(within(dialog).getAllByRole('button', { name: 'Close' })[0] as HTMLElement);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it.each([
    { what: 'let through', over: { message: 'Good until 2026-02-01' }, term: 'Remark', other: 'Why' },
    { what: 'refused', over: { message: 'no', decision: 'denied', code: 403 }, term: 'Why', other: 'Remark' },
  ])('tells what is noted of a call that was $what as what it is', async ({ over, term, other }) => {
    api.json(`${OF_TEAM_A}/lifecycle.1`, entry(1, over));
    renderPage(auditRoutes, '/audit?entry=team-a%2Flifecycle.1');
    const dialog = await screen.findByRole('dialog', { name: 'patch clusters/scale demo' });
    expect(within(dialog).getByText(term).closest('div')).toHaveTextContent(`${term}${over.message}`);
    expect(within(dialog).queryByText(other)).toBeNull();
  });

  it('says in which service, and where, its chain breaks', async () => {
    const head = { seq: 5, hash: 'af104f51b3fc483a' };
    api.json('/audit/verify', {
      logs: [
        { service: 'lifecycle', isWhole: true, rows: 5, checkpoints: 1, head, problems: [] },
        {
          service: 'cloud-mgmt',
          isWhole: false,
          rows: 4,
          checkpoints: 1,
          head,
          problems: [{ seq: 3, message: 'Row 3 is missing' }],
        },
      ],
    });
    const { container } = renderPage(auditRoutes, '/audit');
    await user.click(await screen.findByRole('button', { name: 'Verify' }));
    expect(await screen.findByRole('row', { name: /cloud-mgmt Damaged Row 3 is missing/ })).toBeVisible();
    expect(screen.getByRole('row', { name: /lifecycle Whole/ })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('is refused to who is no administrator', async () => {
    api.refuse(ALL, 403, { reason: 'Forbidden', message: 'not for you' });
    renderPage(auditRoutes, '/audit');
    expect(await screen.findByRole('heading', { name: 'You may not see this' })).toBeVisible();
  });
});

describe('a search of the audit log', () => {
  afterEach(() => api.remove());

  it.each([
    { reason: 'a day when nobody says', search: { fields: {} }, want: 'since=2026-01-30T12:00:00.000Z' },
    {
      reason: 'a window ends where it is said to',
      search: { until: '2026-01-27T16:00:00.000Z', window: '1h', fields: {} },
      want: 'since=2026-01-27T15:00:00.000Z,until=2026-01-27T16:00:00.000Z',
    },
    { reason: 'what is no time is nothing', search: { until: 'soon', window: 'all', fields: {} }, want: '' },
    { reason: 'values are no syntax', search: { window: 'all', fields: { user: 'a,b=c' } }, want: 'user=a\\,b\\=c' },
    { reason: 'blank is nothing', search: { window: 'all', fields: { user: ' ' } }, want: '' },
  ])('has it that $reason', ({ search, want }) => {
    expect(fieldSelectorOf(search, NOW)).toBe(want);
  });

  it('reads all pages', async () => {
    api.install();
    const asked = watchQueries();
    const played = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const isNext = new URL(input as string, 'https://crate').searchParams.has('continue');
      await played(input, init);
      const page = isNext ? { items: [entry(2)], metadata: {} } : { items: [entry(1)], metadata: { continue: 'more' } };
      return Response.json(page);
    };
    const found = await findEntries({ fields: {} }, NOW, new AbortController().signal);
    expect(found.entries.map(({ chain }) => chain.seq)).toEqual([2, 1]);
    expect(found.isCut).toBe(false);
    expect(asked.map((query) => query.get('continue'))).toEqual([null, 'more']);
  });

  it.each([
    { reason: 'spread over a month', stepMs: 200_000, later: 0 },
    { reason: 'dense in the last minutes', stepMs: 20, later: 0 },
    { reason: 'older than a time', stepMs: 20, later: 3_000 },
  ])('gives the newest of more than can be shown: $reason', async ({ stepMs, later }) => {
    const count = 12_000;
    api.install();
    globalThis.fetch = playedLog(count, stepMs);
    const until = later === 0 ? undefined : new Date(NOW - later * stepMs).toISOString();
    const found = await findEntries({ window: 'all', until, fields: {} }, NOW, new AbortController().signal);
    const seqs = found.entries.map(({ chain }) => chain.seq);
    expect(found.isCut).toBe(true);
    expect(seqs).toEqual(Array.from({ length: 5_000 }, (_, n) => count - 1 - later - n));
  });
});

/** A log of so many entries up to now, as the API answers of it: the oldest first, in pages. */
function playedLog(count: number, stepMs: number): typeof fetch {
  const log = Array.from({ length: count }, (_, seq) => ({
    ...entry(1, { chain: { seq, hash: '' } }),
    time: new Date(NOW - (count - seq) * stepMs).toISOString(),
  }));
  return async (input) => {
    const query = new URL(input as string, 'https://crate').searchParams;
    const [, since = ''] = /since=([^,]*)/.exec(query.get('fieldSelector') ?? '') ?? [];
    const [, until = '9'] = /until=([^,]*)/.exec(query.get('fieldSelector') ?? '') ?? [];
    const meant = log.filter(({ time }) => time >= since && time < until);
    const begin = Number(query.get('continue') ?? 0);
    const end = begin + Number(query.get('limit'));
    const metadata = end < meant.length ? { continue: String(end) } : {};
    return Promise.resolve(Response.json({ items: meant.slice(begin, end), metadata }));
  };
}
