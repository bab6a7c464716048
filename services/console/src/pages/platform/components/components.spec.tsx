import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Component, UpgradeProblem } from '@crate/api';
import { screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { user } from '../../cluster/testing/user.js';
import { aStatus } from '../platform-fixtures.js';
import { platformRoutes } from '../routes.js';
import { aComponent, aPlan, aStep, offered } from './component-fixtures.js';
import { componentViews, offeredVersions } from './component-view.js';

const COMPONENTS = '/apis/lifecycle.crate.dev/v1alpha1/components';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const PLAN = '/platform/upgrade';
const UNSIGNED: UpgradeProblem = {
  ...{ reason: 'NotSigned', effect: 'Refused', message: 'Nobody signed it', remedy: 'Choose another one' },
};
const PAUSED: UpgradeProblem = { reason: 'Paused', effect: 'Waits', message: 'It is paused', remedy: 'Resume it' };
const api = new PlayedApi();

/** What was set: component and version. */
const written = (): unknown[] =>
  api.calls
    .filter(({ call }) => call.startsWith(`PATCH ${COMPONENTS}/`))
    .map(({ call, body }) => [call.split('/').at(-1), (JSON.parse(String(body)) as Component).spec.version]);

function show(...components: readonly Component[]): HTMLElement {
  api.list(COMPONENTS, components);
  for (const { metadata } of components) api.json(`${COMPONENTS}/${metadata.name}`, {}, { method: 'PATCH' });
  return renderPage(platformRoutes, '/platform').container;
}

async function openDialog(): Promise<HTMLElement> {
  const button = await screen.findByRole('button', { name: 'Upgrade' });
  await waitFor(() => expect(button).not.toHaveAttribute('aria-disabled', 'true'));
  await user.click(button);
  return screen.findByRole('dialog', { name: 'Upgrade the platform' });
}

const submit = (): HTMLElement => screen.getByRole('button', { name: 'Upgrade all services' });

describe('the versions of the platform', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.json('/platform/status', aStatus());
    api.list('/apis/policy.crate.dev/v1alpha1/policies', []);
    api.list('/apis/cloud.crate.dev/v1alpha1/cloudaccounts', []);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
    api.json(PLAN, aPlan());
  });
  afterEach(() => api.remove());

  it('that were taken back are to be looked after, though all that runs is well', async () => {
    const message = '0.2.0 was taken back to 0.1.0: Crashing: policy-mgmt-2 ended 3 times';
    const conditions = [{ type: 'UpToDate', status: 'False', reason: 'RolledBack', message }];
    const taken = aComponent('policy-mgmt', { spec: { version: '0.2.0' }, status: { conditions } });
    const container = show(taken, aComponent('lifecycle'));
    expect(await screen.findByRole('heading', { name: new RegExp(`policy-mgmt: ${message}`) })).toBeVisible();
    expect(screen.getByText(/0\.1\.0 goes on; “Upgrade” below tries the version again/)).toBeVisible();
    expect(screen.queryByText('Nothing: all is well')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Stay with 0.1.0 of policy-mgmt' }));
    await waitFor(() => expect(written()).toEqual([['policy-mgmt', '0.1.0']]));
    expect(await axeFindings(container)).toEqual([]);
  });

  it('are shown in the order of upgrades, and change while one looks', async () => {
    const container = show(offered('lifecycle', '0.2.0'), aComponent('policy-mgmt', { spec: { version: '0.1.0' } }));
    const table = await screen.findByRole('grid', { name: 'Versions' });
    expect(
      within(table)
        .getAllByRole('row')
        .slice(1)
        .map((row) => row.textContent),
    ).toEqual(['policy-mgmt0.1.00.1.0–Up to date 1/1', 'lifecycle0.1.0–0.2.0Upgrade available 1/1']);
    const object = aComponent('policy-mgmt', {
      spec: { version: '0.2.0' },
      status: {
        replicas: [
          { version: '0.1.0', ready: 1, total: 1 },
          { version: '0.2.0', ready: 0, total: 1 },
        ],
        rollout: { from: '0.1.0', to: '0.2.0', step: 'Canary', startedAt: '', since: '', generation: 2 },
        progress: { step: 0, steps: 3, message: 'policy-mgmt-2 is not ready yet' },
      },
    });
    (await api.watchOf(COMPONENTS)).send({ type: 'MODIFIED', object });
    const row = /^policy-mgmt 0\.1\.0, 0\.2\.0 0\.2\.0 .*First replica is tried policy-mgmt-2 is not ready yet 1\/2/;
    expect(await screen.findByRole('row', { name: row })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('are set once somebody saw what it leads to, and typed the version', async () => {
    show(offered('lifecycle', '0.2.0'), offered('policy-mgmt', '0.2.0'));
    const dialog = await openDialog();
    expect(
      await within(dialog).findByText(/reached from 0\.1\.0 on, and the oldest service has 0\.1\.0/),
    ).toBeVisible();
    expect(within(dialog).getByText(/no way back but the backup/)).toBeVisible();
    expect(
      within(dialog).getByRole('row', { name: /^policy-mgmt 0\.1\.0 0\.2\.0 Upgrade One more replica/ }),
    ).toBeVisible();
    expect(await axeFindings(dialog)).toEqual([]);
    expect(submit()).toBeDisabled();
    const field = within(dialog).getByRole('textbox', { name: 'Type 0.2.0 to confirm' });
    await user.type(field, '0.2');
    expect(submit()).toBeDisabled();
    await user.type(field, '.0');
    await user.click(submit());
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(written()).toEqual([
      ['policy-mgmt', '0.2.0'],
      ['lifecycle', '0.2.0'],
    ]);
  });

  it('are asked for anew where they failed, and stay where they are asked for already', async () => {
    api.json(
      PLAN,
      aPlan({ steps: [aStep('policy-mgmt', { hasFailed: true }), aStep('lifecycle', { action: 'GoOn' })] }),
    );
    const wanted = { spec: { version: '0.2.0' } };
    show(
      aComponent('policy-mgmt', { ...wanted, status: { availableVersions: [{ version: '0.2.0' }] } }),
      aComponent('lifecycle', wanted),
    );
    const dialog = await openDialog();
    expect(await within(dialog).findByText(/again: it was taken back before/)).toBeVisible();
    await user.type(within(dialog).getByRole('textbox'), '0.2.0');
    await user.click(submit());
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(written()).toEqual([
      ['policy-mgmt', null],
      ['policy-mgmt', '0.2.0'],
    ]);
  });

  it('are not set where it would be refused, and it is said what to do', async () => {
    api.json(
      PLAN,
      aPlan({
        steps: [
          aStep('policy-mgmt', { problems: [UNSIGNED] }),
          aStep('cloud-mgmt', { problems: [UNSIGNED] }),
          aStep('lifecycle', { problems: [PAUSED] }),
        ],
      }),
    );
    show(offered('lifecycle', '0.2.0'));
    const dialog = await openDialog();
    const refused = 'policy-mgmt, cloud-mgmt: Nobody signed it. Choose another one';
    expect(await within(dialog).findByText(refused)).toBeVisible();
    expect(within(dialog).getByText('lifecycle: It is paused. Resume it')).toBeVisible();
    const refusal = within(dialog).getByText(refused);
    const moves = within(dialog).getByRole('grid');
    // Above what would happen: a dialog scrolls, and who sees only a button that is off does not know why.
    expect(refusal.compareDocumentPosition(moves)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(submit()).toBeDisabled();
    expect(within(dialog).queryByRole('textbox')).toBeNull();
    expect(await axeFindings(dialog)).toEqual([]);
  });

  it('say why one was refused after all', async () => {
    show(offered('policy-mgmt', '0.2.0'));
    const refusal = { reason: 'Invalid', message: 'The index has changed' };
    api.refuse(`${COMPONENTS}/policy-mgmt`, 422, refusal, 'PATCH');
    const dialog = await openDialog();
    await user.type(await within(dialog).findByRole('textbox'), '0.2.0');
    await user.click(submit());
    expect(await within(dialog).findByText('The index has changed')).toBeVisible();
  });

  it.each([
    { name: 'nothing newer is offered', components: [aComponent('lifecycle')], allowed: true },
    { name: 'the person may not', components: [offered('lifecycle', '0.2.0')], allowed: false },
  ])('cannot be set when $name', async ({ components, allowed }) => {
    api.json(REVIEWS, { status: { allowed } }, { method: 'POST' });
    show(...components);
    const button = await screen.findByRole('button', { name: 'Upgrade' });
    await waitFor(() => expect(button).toHaveAttribute('aria-disabled', 'true'));
    await user.click(button);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('componentViews', () => {
  it.each([
    {
      name: 'went back',
      status: { conditions: [{ type: 'UpToDate', status: 'False', reason: 'RolledBack', message: 'It crashed' }] },
      want: { phase: 'RolledBack', why: 'It crashed' },
    },
    {
      name: 'is not well',
      status: {
        conditions: [
          { type: 'UpToDate', status: 'True', reason: 'UpToDate', message: '' },
          { type: 'Ready', status: 'False', reason: 'Silent', message: 'Nobody answers' },
        ],
      },
      want: { phase: 'UpToDate', why: 'Nobody answers' },
    },
    {
      name: 'said nothing yet',
      status: { replicas: [], conditions: [] },
      want: { phase: 'Unknown', runs: '0.1.0', ready: '0/0' },
    },
  ])('tell of one that $name', ({ status, want }) => {
    expect(componentViews([aComponent('lifecycle', { status })])[0]).toMatchObject(want);
  });
});

describe('offeredVersions', () => {
  it('are those of all services, the newest first', () => {
    const given = [aComponent('lifecycle'), offered('cloud-mgmt', '0.3.0'), offered('policy-mgmt', '0.3.0', '0.2.0')];
    expect(offeredVersions(given)).toEqual(['0.3.0', '0.2.0']);
  });
});
