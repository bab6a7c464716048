import { beforeEach, describe, expect, it } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../../testing/render-page.js';
import { user } from '../../cluster/testing/user.js';
import { policyRoutes } from '../routes.js';
import { playPolicies, RULE } from '../testing/played-policies.js';

const { api } = playPolicies();
const reportsOf = (project: string): string => `/apis/wgpolicyk8s.io/v1alpha2/namespaces/${project}/policyreports`;
const broken = { policy: 'control-plane-ha', result: 'fail', properties: { title: RULE.spec.title } };
const report = (cluster: string): object => ({
  metadata: { name: cluster },
  scope: { name: cluster },
  results: [broken],
});

describe('violations of a Project', () => {
  beforeEach(() => {
    api.list(reportsOf('team-a'), []);
    api.list(reportsOf('team-b'), [report('shop')]);
  });

  it('are not said to be none where nothing was judged', async () => {
    renderPage(policyRoutes, '/policies/violations?project=team-a');
    expect(await screen.findByRole('heading', { name: 'Nothing was judged yet' })).toBeVisible();
    expect(screen.queryByText('Nothing is broken')).toBeNull();
  });

  it('are not said to be none of a cluster without a report', async () => {
    renderPage(policyRoutes, '/policies/violations?project=team-a&cluster=demo');
    expect(await screen.findByRole('heading', { name: 'There is no report of demo' })).toBeVisible();
  });

  it('are of all its clusters once another Project is chosen', async () => {
    renderPage(policyRoutes, '/policies/violations?project=team-a&cluster=demo');
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Project' }), 'team-b');
    expect((await api.watchOf(reportsOf('team-b'))).query.get('fieldSelector')).toBeNull();
    expect(await screen.findByRole('combobox', { name: 'Cluster' })).toHaveValue('');
  });

  it.each(['Compliance', 'Rules', 'Waivers'])('are left for %s of the same Project', async (name) => {
    renderPage(policyRoutes, '/policies/violations?project=team-b&cluster=shop');
    await user.click(await screen.findByRole('link', { name }));
    await waitFor(() => expect(screen.getByRole('link', { name })).toHaveAttribute('aria-current', 'page'));
    expect(await screen.findByRole('combobox', { name: 'Project' })).toHaveValue('team-b');
  });

  it('lead to a rule, and from there to its other findings in the same Project', async () => {
    renderPage(policyRoutes, '/policies/violations?project=team-b');
    await user.click(await screen.findByRole('link', { name: RULE.spec.title }));
    const findings = await screen.findByRole('link', { name: 'What breaks it' });
    expect(findings.getAttribute('href')).toContain('project=team-b');
  });
});
