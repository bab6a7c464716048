import { beforeEach, describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../api/use-live.js';
import { axeFindings } from '../../testing/axe.js';
import { AN_ADMIN, renderPage } from '../../testing/render-page.js';
import { user } from '../cluster/testing/user.js';
import { policyRoutes } from './routes.js';
import { playPolicies, POLICY, PROJECTS, RULE } from './testing/played-policies.js';

const REPORTS = '/apis/wgpolicyk8s.io/v1alpha2/namespaces/team-a/policyreports';
const OF_PROJECT = `${REPORTS}/project.team-a`;
const WAIVERS = `${POLICY}/namespaces/team-a/policywaivers`;
const { api, sent } = playPolicies();

const counts = (pass: number, fail = 0): object => ({ pass, fail, warn: 0, error: 0, skip: 0 });

function report(cluster: string, results: readonly object[]): object {
  return { metadata: { name: cluster, namespace: 'team-a' }, scope: { name: cluster }, results };
}

const BROKEN = {
  policy: 'control-plane-ha',
  severity: 'high',
  result: 'fail',
  message: 'has 1 machine',
  timestamp: { seconds: 1_767_225_600, nanos: 0 },
  properties: {
    title: RULE.spec.title,
    field: 'spec.controlPlane.replicas',
    remedy: 'Ask for three machines',
    references: 'NIST 800-53 CP-10; CIS 1.2',
  },
};
const WARNED = {
  ...BROKEN,
  policy: 'tags',
  severity: 'low',
  result: 'warn',
  message: 'no tag',
  properties: { title: 'Tags' },
};

function waiver(name: string, requestedBy: string, over: object = {}): object {
  return {
    metadata: { name, namespace: 'team-a', uid: `uid-${name}` },
    spec: { policies: ['control-plane-ha'], reason: 'Load tests are thrown away', expiresAt: '2999-01-01T00:00:00Z' },
    status: {
      requestedBy,
      conditions: [{ type: 'Ready', status: 'False', reason: 'WaitingForApproval', message: '' }],
    },
    ...over,
  };
}

describe('compliance', () => {
  beforeEach(() => {
    api.json(`${OF_PROJECT}/compliance`, {
      summary: counts(3, 1),
      frameworks: [
        {
          framework: 'NIST 800-53',
          controls: counts(1, 1),
          details: [
            { control: 'AC-4', status: 'pass', rules: [{ policy: 'own', title: 'Ours', status: 'pass' }] },
            { control: 'CP-10', status: 'fail', rules: [{ policy: 'control-plane-ha', title: 'HA', status: 'fail' }] },
          ],
        },
      ],
    });
    api.json(`${OF_PROJECT}/history`, { points: [{ time: '2026-01-01T00:00:00Z', rules: counts(3, 1) }] });
  });

  it('tells how frameworks stand, first what is not met', async () => {
    const { container } = renderPage(policyRoutes, '/policies/compliance');
    expect(await screen.findByText('1 of 2 controls met')).toBeVisible();
    expect(screen.getByText('3 of 4 rules met')).toBeVisible();
    expect(await screen.findByText(/one point so far/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Show the controls of NIST 800-53' }));
    const table = await screen.findByRole('grid', { name: 'Controls of NIST 800-53' });
    expect(within(table).getByRole('row', { name: /CP-10 Broken HA/ })).toBeVisible();
    expect(within(table).queryByText('AC-4')).toBeNull();
    expect(await axeFindings(container)).toEqual([]);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Show' }), 'all');
    expect(await screen.findByText('AC-4')).toBeVisible();
  });

  it('has its trend drawn, and told in words', async () => {
    api.json(`${OF_PROJECT}/history`, {
      points: [
        { time: '2026-01-01T00:00:00Z', rules: counts(1, 1) },
        { time: '2026-01-02T00:00:00Z', rules: counts(3, 1) },
      ],
    });
    const { container } = renderPage(policyRoutes, '/policies/compliance');
    const begin = new Date('2026-01-01T00:00:00Z').toLocaleString();
    expect(await screen.findByText(new RegExp(`Rules met went from 50 % to 75 % between ${begin}`))).toBeVisible();
    const chart = await screen.findByRole('img', { name: /Rules met, in percent/ });
    expect(chart).toBeVisible();
    expect(chart).toHaveTextContent(/AM.*PM/);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('stays as it was read, under why it may be old, when it cannot be read anew', async () => {
    const { container } = renderPage(policyRoutes, '/policies/compliance');
    await screen.findByText(/one point so far/);
    api.refuse(`${OF_PROJECT}/compliance`, 403, { reason: 'Forbidden', message: 'Reports are not for you' });
    api.refuse(`${OF_PROJECT}/history`, 403, { reason: 'Forbidden', message: 'History is not for you' });
    act(() => void window.dispatchEvent(new Event('visibilitychange')));
    expect(await screen.findByText('Reports are not for you')).toBeVisible();
    expect(await screen.findByText('History is not for you')).toBeVisible();
    expect(screen.getByText('3 of 4 rules met')).toBeVisible();
    expect(screen.getByText(/one point so far/)).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('keeps the Project of an address that names no part', async () => {
    renderPage(policyRoutes, '/policies?project=team-b');
    expect(await screen.findByRole('combobox', { name: 'Project' })).toHaveValue('team-b');
  });

  it('is exported by a plain link in each format', async () => {
    renderPage(policyRoutes, '/policies/compliance');
    const link = await screen.findByRole('link', { name: 'Export as PDF' });
    expect(link).toHaveAttribute('href', `${OF_PROJECT}/export?format=pdf`);
    expect(screen.getAllByRole('link', { name: /Export as/ })).toHaveLength(5);
  });

  it('says so when nothing was judged yet, and asks for another Project by the address', async () => {
    const { container } = renderPage(policyRoutes, '/policies/compliance?project=team-b');
    expect(await screen.findByRole('heading', { name: 'Nothing was judged yet' })).toBeVisible();
    expect(screen.getByRole('combobox', { name: 'Project' })).toHaveValue('team-b');
    expect(await axeFindings(container)).toEqual([]);
  });
});

describe('violations', () => {
  beforeEach(() =>
    api.list(REPORTS, [report('demo', [WARNED, BROKEN, { ...BROKEN, result: 'pass' }]), report('shop', [BROKEN])]),
  );

  it('stand by rule with what to do, the worst first, and by cluster', async () => {
    const { container } = renderPage(policyRoutes, '/policies/violations');
    await screen.findByRole('heading', { level: 2, name: /Tags/ });
    const headings = screen.getAllByRole('heading', { level: 2 });
    expect(headings.map(({ textContent }) => textContent)).toEqual([
      'Control planes survive the loss of a machineBrokenHigh',
      'TagsWarned ofLow',
    ]);
    expect(screen.getByText('NIST 800-53 CP-10; CIS 1.2')).toBeVisible();
    await user.click(screen.getByRole('button', { name: /survive the loss of a machine: 2 findings/ }));
    expect(
      await screen.findByRole('row', { name: /shop spec.controlPlane.replicas has 1 machine Broken/ }),
    ).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Group by' }), 'cluster');
    expect(await screen.findByRole('button', { name: 'demo: 2 findings' })).toBeVisible();
  });

  it('are filtered by the address', async () => {
    renderPage(policyRoutes, '/policies/violations?severity=low');
    await screen.findByRole('heading', { level: 2, name: /Tags/ });
    const headings = screen.getAllByRole('heading', { level: 2 });
    expect(headings.map(({ textContent }) => textContent)).toEqual(['TagsWarned ofLow']);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Result' }), 'fail');
    expect(await screen.findByText('Nothing matches these filters.')).toBeVisible();
  });

  it('of a large Project are told by rule, without loading the reports of all clusters', async () => {
    api.list(PROJECTS, [{ metadata: { name: 'team-a' }, status: { usage: { clusters: 51 } } }]);
    const summary = {
      ...BROKEN,
      message: 'Broken in 12 of 51 clusters: demo, …',
      resources: [{ name: 'demo' }, { name: 'shop' }],
      properties: { title: RULE.spec.title, remedy: 'Ask for three machines' },
    };
    api.list(REPORTS, [{ metadata: { name: 'project.team-a' }, scope: { kind: 'Project' }, results: [summary] }]);
    const { container } = renderPage(policyRoutes, '/policies/violations');
    expect(await screen.findByText(/There are 51 clusters/)).toBeVisible();
    const watch = await api.watchOf(REPORTS);
    expect(watch.query.get('fieldSelector')).toBe('metadata.name=project.team-a');
    await user.click(screen.getByRole('button', { name: /survive the loss of a machine: 2 findings/ }));
    expect(await screen.findByRole('row', { name: /shop – Broken in 12 of 51/ })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Cluster' }), 'shop');
    expect((await api.watchOf(REPORTS)).query.get('fieldSelector')).toBe('metadata.name=shop');
  });

  it('are none where all rules hold', async () => {
    api.list(REPORTS, [report('demo', [])]);
    const { container } = renderPage(policyRoutes, '/policies/violations');
    expect(await screen.findByRole('heading', { name: 'Nothing is broken' })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('are refused to who may not see them', async () => {
    api.refuse(REPORTS, 403, { reason: 'Forbidden', message: 'not for you' });
    renderPage(policyRoutes, '/policies/violations?project=team-a');
    expect(await screen.findByRole('heading', { name: 'You may not see this' })).toBeVisible();
  });
});

describe('rules', () => {
  it('say how each acts in the Project, and are filtered', async () => {
    const { container } = renderPage(policyRoutes, '/policies/rules');
    const row = await screen.findByRole('row', { name: /control-plane-ha cluster-spec Must High/ });
    expect(within(row).getByText('Tried out only')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Pack' }), 'own');
    await waitFor(() => expect(screen.getByText('1 rule')).toBeVisible());
    expect(screen.getByRole('link', { name: 'Ours' })).toBeVisible();
  });

  it('which another release stored are shown as far as they can be read', async () => {
    const broken = { type: 'Ready', status: 'False', reason: 'Unreadable', message: 'level cannot be read' };
    const policy = { metadata: { name: 'old' }, spec: { level: 'shall' }, status: { conditions: [broken] } };
    api.list(`${POLICY}/policies`, [{ ...policy, spec: undefined }]);
    renderPage(policyRoutes, '/policies/rules?project=team-a');
    expect(await screen.findByRole('link', { name: 'old' })).toBeVisible();
    forgetLiveLists();
    api.list(`${POLICY}/policies`, [{ ...policy, spec: { title: 'Old' } }]);
    renderPage(policyRoutes, '/policies/rules/old');
    expect(await screen.findByText('level cannot be read')).toBeVisible();
  });

  it('have a page each: why, what to do, and the expressions', async () => {
    const { container } = renderPage(policyRoutes, '/policies/rules/control-plane-ha');
    expect(await screen.findByText('object.spec.controlPlane.replicas >= params.least')).toBeVisible();
    expect(screen.getByText('Ask for three machines')).toBeVisible();
    expect(screen.getByText('In team-*: Tried out only')).toBeVisible();
    expect(screen.getByRole('link', { name: 'https://example.com/why' })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });
});

describe('waivers', () => {
  it('are approved by another person than the one who asked', async () => {
    api.list(WAIVERS, [waiver('mine', AN_ADMIN.user), waiver('theirs', 'otto')]);
    api.json(`${WAIVERS}/theirs/approve`, {}, { method: 'POST' });
    const { container } = renderPage(policyRoutes, '/policies/waivers');
    const own = await screen.findByRole('button', { name: 'Approve mine' });
    expect(own).toHaveAttribute('aria-disabled', 'true');
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Approve theirs' }));
    const dialog = await screen.findByRole('dialog', { name: 'Approve theirs?' });
    expect(within(dialog).getByText(/You answer for it beside otto/)).toBeVisible();
    await user.click(within(dialog).getByRole('button', { name: 'Approve' }));
    await waitFor(() => expect(sent(`POST ${WAIVERS}/theirs/approve`)).toEqual({ uid: 'uid-theirs' }));
  });

  it('are over by the clock, whatever their state was', async () => {
    const spec = { policies: ['x'], reason: 'it was so', expiresAt: '2020-01-01T00:00:00Z' };
    api.list(WAIVERS, [waiver('old', 'otto', { spec })]);
    renderPage(policyRoutes, '/policies/waivers');
    expect(await screen.findByText('Expired')).toBeVisible();
    expect(screen.getByText(/2020-01-01, over/)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Approve old' })).toHaveAttribute('aria-disabled', 'true');
  });

  it('are asked for from where a rule is broken', async () => {
    api.list(WAIVERS, []);
    api.list(REPORTS, [report('demo', [BROKEN])]);
    renderPage(policyRoutes, '/policies/violations');
    await user.click(await screen.findByRole('link', { name: /^Ask for a waiver of:/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Ask for a waiver' });
    expect(within(dialog).getByRole('textbox', { name: 'Rules' })).toHaveValue('control-plane-ha');
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.click(screen.getByRole('button', { name: 'Ask for a waiver' }));
    expect(await screen.findByRole('textbox', { name: 'Rules' })).toHaveValue('');
  });

  it('are asked for with rules, a reason and an end', async () => {
    api.list(WAIVERS, []);
    api.json(WAIVERS, {}, { method: 'POST' });
    renderPage(policyRoutes, '/policies/waivers');
    await user.click(await screen.findByRole('button', { name: 'Ask for a waiver' }));
    const dialog = await screen.findByRole('dialog', { name: 'Ask for a waiver' });
    await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'load');
    await user.type(within(dialog).getByRole('textbox', { name: 'Rules' }), 'control-plane-ha, aws-*');
    await user.type(within(dialog).getByRole('textbox', { name: 'Why' }), 'Load tests');
    expect(within(dialog).getByRole('button', { name: 'Ask' })).toBeDisabled();
    await user.type(within(dialog).getByLabelText(/Until/), '2027-03-31');
    expect(await axeFindings(dialog)).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Ask' }));
    await waitFor(() =>
      expect(sent(`POST ${WAIVERS}`)).toMatchObject({
        metadata: { name: 'load', namespace: 'team-a' },
        spec: { policies: ['control-plane-ha', 'aws-*'], reason: 'Load tests', expiresAt: '2027-03-31T23:59:59Z' },
      }),
    );
  });
});
