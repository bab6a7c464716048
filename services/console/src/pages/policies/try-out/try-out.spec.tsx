import { describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { axeFindings } from '../../../testing/axe.js';
import { renderPage } from '../../../testing/render-page.js';
import { user } from '../../cluster/testing/user.js';
import { policyRoutes } from '../routes.js';
import { OWN_RULE, playPolicies, POLICY, RULE } from '../testing/played-policies.js';

const IMPACT = `${POLICY}/policyimpactreviews`;
const CLUSTER = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/try-out';
const { api, sent } = playPolicies();

const EXAMPLES = [
  {
    expected: 'fail',
    title: 'One machine',
    stage: 'ClusterSpec',
    field: 'spec.controlPlane.replicas',
    document: { spec: { controlPlane: { replicas: 1 } } },
  },
  { expected: 'pass', stage: 'ClusterSpec', document: { spec: { controlPlane: { replicas: 3 } } } },
];

describe('trying out', () => {
  it('tells which rules fire for a cluster, without writing it', async () => {
    api.json(
      CLUSTER,
      {
        kind: 'Status',
        code: 403,
        reason: 'PolicyDenied',
        message: 'denied by policy',
        details: { causes: [{ field: 'spec.controlPlane.replicas', message: 'has 1 (policy control-plane-ha)' }] },
      },
      { method: 'PATCH', status: 403 },
    );
    const { container } = renderPage(policyRoutes, '/policies/try?project=team-a');
    await user.click(await screen.findByRole('button', { name: 'Judge' }));
    expect(await screen.findByRole('heading', { name: /It would be denied/ })).toBeVisible();
    expect(screen.getAllByText('spec.controlPlane.replicas: has 1 (policy control-plane-ha)')[0]).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('begins with a cluster as the Project has one, so that rules can fire', async () => {
    const own = { metadata: { name: 'demo', labels: { team: 'a' } }, spec: { region: 'eu-central-1' } };
    api.list('/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters', [own]);
    api.json(CLUSTER, {}, { method: 'PATCH' });
    renderPage(policyRoutes, '/policies/try?project=team-a');
    await user.click(await screen.findByRole('button', { name: 'Judge' }));
    await waitFor(() =>
      expect(sent(`PATCH ${CLUSTER}`)).toMatchObject({
        metadata: { name: 'try-out', namespace: 'team-a', labels: { team: 'a' } },
        spec: { region: 'eu-central-1' },
      }),
    );
  });

  it('does not take a person who may not for a verdict of rules', async () => {
    api.refuse(CLUSTER, 403, { reason: 'Forbidden', message: 'you may not write clusters' }, 'PATCH');
    renderPage(policyRoutes, '/policies/try?project=team-a');
    await user.click(await screen.findByRole('button', { name: 'Judge' }));
    expect(await screen.findByText('you may not write clusters')).toBeVisible();
    expect(screen.queryByRole('heading', { name: /It would be denied/ })).toBeNull();
  });

  it('tells what a change of a rule would lead to, and what removing it would', async () => {
    const denied = {
      project: 'team-a',
      cluster: 'demo',
      stage: 'ClusterSpec',
      kind: 'Cluster',
      name: 'demo',
      field: 'spec.region',
      message: 'not Frankfurt',
    };
    api.json(`${POLICY}/policies/own`, OWN_RULE);
    api.json(
      IMPACT,
      {
        status: {
          newlyDenied: [denied],
          newlyWarned: [],
          noLonger: [],
          counts: { newlyDenied: 3, newlyWarned: 0, noLonger: 0 },
          incomplete: true,
          summary: 'would newly deny 3 clusters in 2 projects',
        },
      },
      { method: 'POST' },
    );
    const { container } = renderPage(policyRoutes, '/policies/try?what=rule&rule=own');
    await user.click(await screen.findByRole('button', { name: 'Judge' }));
    expect(await screen.findByRole('heading', { name: /would newly deny 3 clusters in 2 projects/ })).toBeVisible();
    expect(screen.getByRole('row', { name: /team-a demo ClusterSpec: demo spec.region not Frankfurt/ })).toBeVisible();
    expect(screen.getByText('2 more are not listed.')).toBeVisible();
    expect(screen.getByText(/there may be more/)).toBeVisible();
    expect(sent(`POST ${IMPACT}`)).toMatchObject({ spec: { name: 'own', policy: { title: 'Ours' } } });
    expect(await axeFindings(container)).toEqual([]);
    api.calls.length = 0;
    await user.click(screen.getByRole('button', { name: 'Try to remove it' }));
    await waitFor(() => expect(sent(`POST ${IMPACT}`)).toMatchObject({ spec: { name: 'own' } }));
    expect(sent(`POST ${IMPACT}`)).not.toHaveProperty('spec.policy');
  });

  it('judges one thing at a time: a change of a rule, or its removal', async () => {
    api.json(`${POLICY}/policies/own`, OWN_RULE);
    renderPage(policyRoutes, '/policies/try?what=rule&rule=own');
    const [judge, remove] = [
      await screen.findByRole('button', { name: 'Judge' }),
      screen.getByRole('button', { name: 'Try to remove it' }),
    ];
    const asked = jest.fn(() => new Promise<Response>(() => undefined));
    globalThis.fetch = asked;
    await user.click(judge);
    await waitFor(() => expect(remove).toHaveAttribute('aria-disabled', 'true'));
    await user.click(remove);
    await user.click(judge);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('shows what a rule objects to and accepts, and leads to trying it', async () => {
    api.list(`${POLICY}/policies`, [RULE]);
    api.json(`${POLICY}/policies/control-plane-ha/examples`, { items: EXAMPLES });
    const { container } = renderPage(policyRoutes, '/policies/rules/control-plane-ha');
    expect(await screen.findByText('One machine')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Document of example 1' }));
    expect(screen.getByText(/replicas: 1/)).toBeVisible();
    expect(screen.getByText('Accepted')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    expect(screen.getByRole('link', { name: 'Try it: example 2' })).toHaveAttribute(
      'href',
      '/console/policies/try?what=judge&rule=control-plane-ha&example=1',
    );
  });

  it('says that no pack ships examples with an own rule', async () => {
    api.list(`${POLICY}/policies`, [OWN_RULE]);
    api.json(`${POLICY}/policies/own/examples`, { items: [] });
    renderPage(policyRoutes, '/policies/rules/own');
    expect(await screen.findByText('No pack ships examples with this rule.')).toBeVisible();
  });

  it('has a rule judge any document that it is about, beginning with its own example', async () => {
    const of = `${POLICY}/policies/no-host-path`;
    const match = { stages: ['Manifest'] };
    api.list(`${POLICY}/policies`, [{ ...RULE, metadata: { name: 'no-host-path' }, spec: { ...RULE.spec, match } }]);
    const manifest = { expected: 'fail', stage: 'Manifest', engine: 'rke', document: { kind: 'Pod' } };
    api.json(`${of}/examples`, { items: [manifest] });
    const violations = [{ effect: 'deny', field: 'spec.volumes[0]', message: 'is a path of the machine' }];
    const reasons = [{ place: 'validations[0]', expression: 'x == 1', values: [{ source: 'x', shown: '2' }] }];
    const evaluation = { result: 'fail', violations, mismatches: [], reasons };
    api.json(`${of}/evaluate`, evaluation, { method: 'POST' });
    const { container } = renderPage(policyRoutes, '/policies/try?what=judge&rule=no-host-path');
    await user.click(await screen.findByRole('button', { name: 'Judge' }));
    expect(await screen.findByRole('heading', { name: /The rule objects to it/ })).toBeVisible();
    // In the verdict, and below the editor.
    expect(screen.getAllByText('spec.volumes[0]: is a path of the machine')).toHaveLength(2);
    expect(screen.getByText(/x = 2/)).toBeVisible();
    expect(sent(`POST ${of}/evaluate`)).toEqual({ stage: 'Manifest', engine: 'rke', document: { kind: 'Pod' } });
    expect(await axeFindings(container)).toEqual([]);
  });

  it.each([
    { result: 'pass', want: /The rule accepts it/ },
    { result: 'unmatched', want: /The rule is not about this document/ },
  ])('says so of a document that is $result, where the rule has no example', async ({ result, want }) => {
    api.list(`${POLICY}/policies`, [OWN_RULE]);
    api.json(`${POLICY}/policies/own/examples`, { items: [] });
    const evaluation = { result, violations: [], mismatches: [], reasons: [] };
    api.json(`${POLICY}/policies/own/evaluate`, evaluation, { method: 'POST' });
    renderPage(policyRoutes, '/policies/try?what=judge');
    await user.click(await screen.findByRole('button', { name: 'Judge' }));
    expect(await screen.findByRole('heading', { name: want })).toBeVisible();
  });
});
