import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { focusManager } from '@tanstack/react-query';
import { act, screen, within } from '@testing-library/react';
import { forgetLiveLists } from '../../api/use-live.js';
import { axeFindings } from '../../testing/axe.js';
import { PlayedApi } from '../../testing/played-api.js';
import { AN_ADMIN, renderPage } from '../../testing/render-page.js';
import '../cluster/testing/user.js';
import { bytesText } from './measures.js';
import { aReplica, aService, aStatus } from './platform-fixtures.js';
import { platformRoutes } from './routes.js';

const STATUS = '/platform/status';
const ASKED = 'GET /platform/status';
const api = new PlayedApi();

const asked = (): number => api.calls.filter(({ call }) => call === ASKED).length;

describe('the platform', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.json(STATUS, aStatus());
    api.list('/apis/policy.crate.dev/v1alpha1/policies', [
      { metadata: { name: 'fine' } },
      { metadata: { name: 'odd' }, status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    ]);
    api.list('/apis/cloud.crate.dev/v1alpha1/cloudaccounts', []);
    api.list('/apis/lifecycle.crate.dev/v1alpha1/components', []);
  });
  afterEach(() => {
    api.remove();
    focusManager.setFocused(undefined);
    jest.useRealTimers();
  });

  it('that is well says so, with what it runs on', async () => {
    const { container } = renderPage(platformRoutes, '/platform');
    expect(await screen.findByText('Nothing: all is well')).toBeVisible();
    expect(screen.getByRole('status')).toHaveTextContent('Healthy');
    expect(screen.getByRole('row', { name: /^lifecycle Clusters.* Ready 1\/1 12/ })).toBeVisible();
    expect(
      screen.getByRole('row', { name: /^lifecycle@ ?one: ?7 Ready 0\.1\.0 1 h 2 s ago 12 % 123 MB 1 ms 0\.4 ms/ }),
    ).toBeVisible();
    expect(screen.getByText('Not known: no index of releases is configured')).toBeVisible();
    expect(screen.getByText('31 of 100')).toBeVisible();
    expect(screen.getByText('lifecycle/api until 2027-02-01')).toBeVisible();
    expect(screen.getByText('None: nothing is kept in NATS')).toBeVisible();
    expect(screen.getByText('Nobody holds anything')).toBeVisible();
    expect(await screen.findByRole('link', { name: 'odd' })).toHaveAttribute('href', '/console/policies/rules/odd');
    expect(await axeFindings(container)).toEqual([]);
  });

  it('that looks after its own cluster has no cloud accounts, and does not ask for them', async () => {
    api.json(STATUS, aStatus({ inCluster: true }));
    renderPage(platformRoutes, '/platform');
    expect(await screen.findByRole('heading', { name: 'Replicas' })).toBeVisible();
    expect(screen.queryByRole('heading', { name: 'Cloud accounts' })).toBeNull();
    expect(api.calls.filter(({ call }) => call.includes('cloudaccounts'))).toEqual([]);
  });

  it('tells of a newer version, and where its notes are', async () => {
    const release = { version: '0.2.0', newest: '0.2.0', channel: 'stable', releasedAt: '2026-11-20T00:00:00.000Z' };
    const available = { ...release, isSecurity: true, summary: 'Closes a hole', notes: 'https://crate.example/0.2.0' };
    const upgrade = { available, reason: 'SecurityUpgradeAvailable', message: 'Version 0.2.0 is there' };
    api.json(STATUS, aStatus({ upgrade }));
    const { container } = renderPage(platformRoutes, '/platform');
    expect(await screen.findByText(/Version 0\.2\.0 is there. Closes a hole/)).toBeVisible();
    expect(screen.getByRole('link', { name: 'Release notes' })).toHaveAttribute('href', 'https://crate.example/0.2.0');
    expect(await axeFindings(container)).toEqual([]);
  });

  it('names what is wrong and what to do, and keeps who fell silent', async () => {
    const replicas = [aReplica({ name: 'policy-mgmt@two:9', state: 'Silent', silentMs: 90_000 })];
    const silent = { state: 'Silent', answered: false, message: 'No answer within 2 s', replicas } as const;
    const work = { task: 'cluster', namespace: 'team-a', name: 'demo', holder: 'lifecycle@one:7', epoch: '12' };
    const run = { program: 'terraform', operation: 'apply', namespace: 'team-a', name: 'demo' } as const;
    const lifecycle = aService('lifecycle', {
      leases: [{ kind: 'Work', state: 'orphaned', since: '2026-11-22T17:00:00.000Z', ...work }],
      ...{
        omittedLeases: 3,
        runs: [{ ...run, holder: 'cloud-mgmt@one', since: '2026-11-22T17:00:00.000Z', epoch: '1', state: 'live' }],
      },
      queues: [
        { reconciler: 'plan', depth: 0, due: 0, oldestWaitSeconds: 0, inWork: 0, retrying: 0, mostAttempts: 0 },
        { reconciler: 'cluster', depth: 9, due: 2, oldestWaitSeconds: 65, inWork: 1, retrying: 1, mostAttempts: 4 },
      ],
    });
    const problem = { severity: 'critical', area: 'service', subject: 'policy-mgmt' } as const;
    api.json(
      STATUS,
      aStatus({
        health: 'Failing',
        problems: [{ ...problem, message: 'Does not answer', remedy: 'See whether it runs' }],
        services: [lifecycle, aService('policy-mgmt', silent)],
      }),
    );
    const { container } = renderPage(platformRoutes, '/platform');
    expect(await screen.findByRole('heading', { name: /policy-mgmt: Does not answer/ })).toBeVisible();
    expect(screen.getByText('See whether it runs')).toBeVisible();
    expect(screen.getByRole('row', { name: /^policy-mgmt Rules.* Silent No answer within 2 s .* 0\/1/ })).toBeVisible();
    expect(screen.getByRole('row', { name: /^policy- ?mgmt@ ?two: ?9 Silent .* 1 min ago/ })).toBeVisible();
    const held = screen.getByRole('row', {
      name: /^Work of cluster team- ?a\/ ?demo lifecycle@ ?one: ?7 .* 12 Orphaned/,
    });
    // On a phone it is broken at a joint, and within no word.
    expect(held).toContainHTML('lifecycle@<wbr>one:<wbr>7');
    expect(screen.getByText('3 more are not shown.')).toBeVisible();
    expect(screen.getByText('1 more has no keys.')).toBeVisible();
    expect(
      screen.getByRole('row', { name: /^terraform apply team- ?a\/ ?demo cloud- ?mgmt@ ?one .* Live/ }),
    ).toBeVisible();
    expect(screen.getByRole('row', { name: /^lifecycle\/cluster 9 2 1 min 1 1, 4 times in a row/ })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('shows who does not run it whether its services are well, and no more', async () => {
    const services = [{ name: 'policy-mgmt', state: 'NotReady' }];
    const { kind, at, version } = aStatus();
    api.json(STATUS, { kind, at, version, detail: 'summary', health: 'Failing', services });
    const { container } = renderPage(platformRoutes, '/platform', { ...AN_ADMIN, platformAdmin: false });
    const table = await screen.findByRole('grid', { name: 'Services' });
    expect(within(table).getByRole('row', { name: /policy-mgmt .* Not ready/ })).toBeVisible();
    expect(screen.getByText(/Those who run it see here more/)).toBeVisible();
    expect(screen.queryByRole('heading', { name: 'Replicas' })).toBeNull();
    // More than once where that took long: it asks again every few seconds, and for nothing else.
    expect([...new Set(api.calls.map(({ call }) => call))]).toEqual([ASKED]);
    expect(await axeFindings(container)).toEqual([]);
  });

  it.each([
    { name: 'refused', code: 403, title: 'You may not see this' },
    { name: 'failed', code: 500, title: 'This could not be loaded' },
  ])('says why it shows nothing when it was $name', async ({ code, title }) => {
    api.refuse(STATUS, code, { reason: 'X', message: 'The words of the server' });
    const { container } = renderPage(platformRoutes, '/platform');
    expect(await screen.findByRole('heading', { name: new RegExp(title) })).toBeVisible();
    expect(screen.getByText('The words of the server')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('is asked again every five seconds, not while nobody sees it, and stays when it stops answering', async () => {
    jest.useFakeTimers();
    renderPage(platformRoutes, '/platform');
    await act(async () => jest.advanceTimersByTimeAsync(500));
    expect(asked()).toBe(1);
    await act(async () => jest.advanceTimersByTimeAsync(5_000));
    expect(asked()).toBe(2);
    focusManager.setFocused(false);
    await act(async () => jest.advanceTimersByTimeAsync(30_000));
    expect(asked()).toBe(2);
    api.refuse(STATUS, 503, { reason: 'ServiceUnavailable', message: 'Away' });
    await act(async () => {
      focusManager.setFocused(true);
      await jest.advanceTimersByTimeAsync(10_000);
    });
    expect(asked()).toBeGreaterThan(2);
    expect(screen.getByRole('heading', { name: /The platform does not tell how it is: Away/ })).toBeVisible();
    expect(screen.getByText('31 of 100')).toBeVisible();
  });
});

describe('bytesText', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_500, '1.5 kB'],
    [123_400_000, '123 MB'],
    [2e15, '2000 TB'],
  ])('writes %d as %s', (bytes, want) => {
    expect(bytesText(bytes)).toBe(want);
  });
});
