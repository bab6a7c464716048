import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { forgetTyped } from '../../api/typed-texts.js';
import { forgetLiveLists } from '../../api/use-live.js';
import { PlayedApi } from '../../testing/played-api.js';
import { renderPage } from '../../testing/render-page.js';
import { user } from '../cluster/testing/user.js';
import { createRoutes } from './routes.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const PLANS = `${LIFECYCLE}/namespaces/team-a/plans`;
const CLUSTERS = `${LIFECYCLE}/namespaces/team-a/clusters`;
const api = new PlayedApi();

const plan = {
  metadata: { name: 'shop-1', namespace: 'team-a', uid: 'uid-plan' },
  status: {
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-01-31T12:00:00Z',
        observedGeneration: 1,
      },
    ],
  },
};

/** The same, over. */
function endedAs(phase: string): object {
  const [ready] = plan.status.conditions;
  const end = { phase, reason: phase, message: 'It came to nothing', at: '2026-01-31T12:00:00Z' };
  return { ...plan, status: { conditions: [{ ...ready, status: 'False', reason: phase }], end } };
}

/** Opens the review of a draft. */
function review(metadata: object = {}): void {
  const draft = {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'shop', namespace: 'team-a', ...metadata },
    spec: { classRef: { name: 'small' } },
  };
  sessionStorage.setItem('crate-create', JSON.stringify(draft));
  renderPage(createRoutes, '/create?step=review');
}

interface HeldPost {
  asked: number;
  answer: () => void;
}

/** Leaves POST at `path` without an answer. */
function holdPost(path: string): HeldPost {
  const { fetch } = globalThis;
  const held: HeldPost = { asked: 0, answer: () => undefined };
  globalThis.fetch = (input, init) => {
    const asked = typeof input === 'string' ? input.split('?')[0] : undefined;
    if (init?.method !== 'POST' || asked !== path) return fetch(input, init);
    held.asked += 1;
    return new Promise((resolve) => (held.answer = () => resolve(fetch(input, init))));
  };
  return held;
}

/** As fast as a hand can. */
async function pressTwice(button: HTMLElement): Promise<void> {
  await user.click(button);
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  await user.click(button);
}

describe('planning a cluster before it is made', () => {
  beforeEach(() => {
    forgetLiveLists();
    forgetTyped();
    api.install();
    const kinds = ['clusterclasses', 'projects', 'addons'].map((plural) => `${LIFECYCLE}/${plural}`);
    for (const path of [...kinds, '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts']) api.list(path, []);
    api.json('/openapi/v3/apis/lifecycle.crate.dev/v1alpha1', { components: { schemas: {} } });
    api.json(CLUSTERS, { metadata: { name: 'shop' }, spec: { nodePools: [], addOns: [] } }, { method: 'POST' });
    api.list(PLANS, [plan]);
    api.json(PLANS, plan, { method: 'POST' });
  });
  afterEach(() => {
    cleanup();
    api.remove();
  });

  it('makes one plan and approves it once, however often somebody presses', async () => {
    review();
    const make = await screen.findByRole('button', { name: 'Make a plan' });
    await waitFor(() => expect(make).toBeEnabled());
    const made = holdPost(PLANS);
    await pressTwice(make);
    expect(made.asked).toBe(1);
    act(made.answer);
    const approve = await screen.findByRole('button', { name: /Approve/ });
    const approved = holdPost(`${PLANS}/shop-1/approve`);
    await pressTwice(approve);
    expect(approved.asked).toBe(1);
  });

  it('finds the plan of a draft again after another step, and says when it is gone', async () => {
    review();
    const make = await screen.findByRole('button', { name: 'Make a plan' });
    await waitFor(() => expect(make).toBeEnabled());
    await user.click(make);
    await screen.findByRole('button', { name: /Approve/ });
    await user.click(screen.getByRole('tab', { name: /Network/ }));
    await waitFor(() => expect(screen.queryByRole('button', { name: /Approve/ })).toBeNull());
    await user.click(screen.getByRole('tab', { name: /Review/ }));
    await screen.findByRole('button', { name: /Approve/ });
    expect(api.calls.filter(({ call }) => call === `POST ${PLANS}`)).toHaveLength(1);
    // The watch of the first visit ended with it.
    await api.watchOf(PLANS);
    const watch = await api.watchOf(PLANS);
    await act(async () => watch.send({ type: 'DELETED', object: plan }));
    await user.click(await screen.findByRole('button', { name: 'Make another one' }));
    expect(screen.getByRole('button', { name: 'Make a plan' })).toBeVisible();
  });

  it.each(['Refused', 'Failed', 'Expired'])('has another one made where it ended as %s', async (phase) => {
    api.list(PLANS, [endedAs(phase)]);
    review();
    const make = await screen.findByRole('button', { name: 'Make a plan' });
    await waitFor(() => expect(make).toBeEnabled());
    await user.click(make);
    await screen.findByText('It came to nothing');
    await user.click(screen.getByRole('tab', { name: /Network/ }));
    await waitFor(() => expect(screen.queryByText('It came to nothing')).toBeNull());
    await user.click(screen.getByRole('tab', { name: /Review/ }));
    await user.click(await screen.findByRole('button', { name: 'Make another one' }));
    expect(screen.getByRole('button', { name: 'Make a plan' })).toBeVisible();
  });

  it('is not found again by the same draft once it was approved', async () => {
    api.json(`${PLANS}/shop-1/approve`, plan, { method: 'POST' });
    review();
    const make = await screen.findByRole('button', { name: 'Make a plan' });
    await waitFor(() => expect(make).toBeEnabled());
    await user.click(make);
    await user.click(await screen.findByRole('button', { name: /Approve/ }));
    await waitFor(() => expect(screen.queryByRole('button', { name: /Approve/ })).toBeNull());
    cleanup();
    review();
    expect(await screen.findByRole('button', { name: 'Make a plan' })).toBeVisible();
  });

  it('says that a plan may have been made, or approved, where no answer came', async () => {
    api.fail(PLANS, 'POST');
    review();
    const make = await screen.findByRole('button', { name: 'Make a plan' });
    await waitFor(() => expect(make).toBeEnabled());
    await user.click(make);
    expect(await screen.findByText(/look whether it was done/)).toBeVisible();
    api.json(PLANS, plan, { method: 'POST' });
    api.fail(`${PLANS}/shop-1/approve`, 'POST');
    await user.click(make);
    await user.click(await screen.findByRole('button', { name: /Approve/ }));
    expect(await screen.findByText(/look whether it was done/)).toBeVisible();
    expect(screen.queryByText('Failed to fetch')).toBeNull();
  });

  it('makes none of a draft with marks, which a plan does not take along, and says so', async () => {
    review({ labels: { tier: 'gold' } });
    const make = await screen.findByRole('button', { name: 'Make a plan' });
    expect(screen.getByText(/A plan takes along the spec alone/)).toBeVisible();
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Create cluster' })).not.toHaveAttribute('aria-disabled', 'true'),
    );
    expect(make).toBeDisabled();
  });
});
