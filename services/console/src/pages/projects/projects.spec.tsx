import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../api/use-live.js';
import { axeFindings } from '../../testing/axe.js';
import { PlayedApi } from '../../testing/played-api.js';
import { renderPage } from '../../testing/render-page.js';
import { user } from '../cluster/testing/user.js';
import { quotaOf } from './quota.js';
import { projectRoutes } from './routes.js';

const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';
const KEYS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/apikeys';
const ACCOUNTS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const api = new PlayedApi();

const TEAM_A = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'Project',
  metadata: {
    name: 'team-a',
    uid: 'p1',
    generation: 1,
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: {
    displayName: 'Team A',
    members: [
      { kind: 'User' as const, name: 'ada', role: 'admin' as const },
      { kind: 'Group' as const, name: 'builders', role: 'operator' as const },
    ],
    quotas: { clusters: 2, nodes: 10 },
    allowed: { regions: ['us-east-1'], classes: [] },
    defaults: { region: 'us-east-1' },
  },
  status: { usage: { clusters: 2, nodes: 5, vcpu: 14 } },
};

function sent(call: string): unknown {
  const found = api.calls.find((each) => each.call === call);
  return typeof found?.body === 'string' ? JSON.parse(found.body) : undefined;
}

describe('projects', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(PROJECTS, [TEAM_A]);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
  });
  afterEach(() => api.remove());

  it('are listed with what they take up, and found by name', async () => {
    const { container } = renderPage(projectRoutes, '/projects');
    const table = await screen.findByRole('grid', { name: 'Projects' });
    expect(within(table).getByRole('row', { name: /team-a Team A 2 2 of 2 5 of 10 14/ })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    await user.type(screen.getByRole('textbox', { name: 'Search Projects' }), 'x');
    expect(await screen.findByText('No Project matches.')).toBeVisible();
  });

  it('say so when there is none', async () => {
    api.list(PROJECTS, []);
    const { container } = renderPage(projectRoutes, '/projects');
    expect(await screen.findByRole('heading', { name: 'No Projects yet' })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it.each([
    ['/projects', PROJECTS],
    ['/projects/team-a/members', PROJECTS],
    ['/projects/team-a/accounts', ACCOUNTS],
    ['/projects/team-a/keys', KEYS],
  ])('say at %s that they are not for everybody, and why', async (page, path) => {
    api.refuse(path, 403, { reason: 'Forbidden', message: 'Needs role admin in Project "team-a"' });
    const { container } = renderPage(projectRoutes, page);
    expect(await screen.findByRole('heading', { name: 'You may not see this' })).toBeVisible();
    expect(screen.getByText(/Needs role admin/)).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('are made with a name, and say what the platform objects to', async () => {
    renderPage(projectRoutes, '/projects');
    await user.click(await screen.findByRole('button', { name: 'Create Project' }));
    const dialog = await screen.findByRole('dialog', { name: 'Create a Project' });
    expect(within(dialog).getByRole('button', { name: 'Create' })).toBeDisabled();
    api.refuse(PROJECTS, 409, { reason: 'AlreadyExists', message: 'team-b is there already' }, 'POST');
    await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'team-b');
    await user.click(within(dialog).getByRole('button', { name: 'Create' }));
    expect(await within(dialog).findByText('team-b is there already')).toBeVisible();
    expect(sent(`POST ${PROJECTS}`)).toMatchObject({ kind: 'Project', metadata: { name: 'team-b' }, spec: {} });
    expect(await axeFindings(dialog)).toEqual([]);
  });

  it('show quotas, and that a list which is empty allows nothing', async () => {
    const { container } = renderPage(projectRoutes, '/projects/team-a/overview');
    expect(await screen.findByRole('progressbar', { name: 'Clusters' })).toHaveAttribute('aria-valuenow', '100');
    expect(screen.getByText('Full: growth is refused')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Notifications' })).toHaveAttribute(
      'href',
      '/console/notifications?project=team-a',
    );
    expect(screen.getByText(/14 used, no limit/)).toBeVisible();
    expect(screen.getByText('Nothing')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('lead to cloud accounts and what clusters may use, but not where the platform looks after its own cluster', async () => {
    const made = renderPage(projectRoutes, '/projects/team-a/overview');
    expect(await screen.findByRole('link', { name: 'Cloud accounts' })).toBeVisible();
    expect(screen.getByText('What clusters may use')).toBeVisible();
    made.unmount();

    api.json('/platform/status', { kind: 'PlatformStatus', detail: 'summary', inCluster: true });
    renderPage(projectRoutes, '/projects/team-a/overview');
    await screen.findByRole('link', { name: 'Members' });
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Cloud accounts' })).toBeNull());
    expect(screen.queryByText('What clusters may use')).toBeNull();
    expect(screen.getByRole('progressbar', { name: 'Clusters' })).toBeVisible();
  });

  it('take limits away where nothing is filled in', async () => {
    api.json(`${PROJECTS}/team-a`, TEAM_A, { method: 'PATCH' });
    renderPage(projectRoutes, '/projects/team-a/overview');
    await user.click(await screen.findByRole('button', { name: 'Change quotas' }));
    const dialog = await screen.findByRole('dialog', { name: 'Change quotas' });
    await user.clear(within(dialog).getByRole('textbox', { name: 'Clusters' }));
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PATCH ${PROJECTS}/team-a`)).toEqual([
      { op: 'test', path: '/spec/quotas', value: { clusters: 2, nodes: 10 } },
      { op: 'replace', path: '/spec/quotas', value: { nodes: 10 } },
    ]);
  });

  it('take no limit away for what is no number', async () => {
    renderPage(projectRoutes, '/projects/team-a/overview');
    await user.click(await screen.findByRole('button', { name: 'Change quotas' }));
    const dialog = await screen.findByRole('dialog', { name: 'Change quotas' });
    const clusters = within(dialog).getByRole('textbox', { name: 'Clusters' });
    const save = within(dialog).getByRole('button', { name: 'Save' });
    for (const text of ['5-', '1e', '2O', '-1', '1.5']) {
      await user.clear(clusters);
      await user.type(clusters, text);
      expect(clusters).toHaveValue(text);
      expect(save).toBeDisabled();
    }
    expect(within(dialog).getByText('Only digits')).toBeVisible();
    await user.clear(clusters);
    await user.type(clusters, '5');
    expect(save).toBeEnabled();
  });

  it('change roles for what was read, and not over what somebody else wrote', async () => {
    api.json(`${PROJECTS}/team-a`, TEAM_A, { method: 'PATCH' });
    const { container } = renderPage(projectRoutes, '/projects/team-a/members');
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Role of builders' }), 'viewer');
    await user.click(screen.getByRole('button', { name: 'Save the role of builders' }));
    await waitFor(() =>
      expect(sent(`PATCH ${PROJECTS}/team-a`)).toEqual({
        metadata: { resourceVersion: '7' },
        spec: {
          members: [
            { kind: 'User', name: 'ada', role: 'admin' },
            { kind: 'Group', name: 'builders', role: 'viewer' },
          ],
        },
      }),
    );
    expect(await axeFindings(container)).toEqual([]);
  });

  it('grant no role that was only passed on the way to another one', async () => {
    renderPage(projectRoutes, '/projects/team-a/members');
    const role = await screen.findByRole('combobox', { name: 'Role of builders' });
    const save = screen.getByRole('button', { name: 'Save the role of builders' });
    expect(save).toHaveAttribute('aria-disabled', 'true');
    await user.selectOptions(role, 'admin');
    expect(role).toHaveValue('admin');
    expect(role).toBeEnabled();
    expect(save).not.toHaveAttribute('aria-disabled', 'true');
    await user.selectOptions(role, 'operator');
    expect(save).toHaveAttribute('aria-disabled', 'true');
    await user.click(save);
    expect(api.calls.map(({ call }) => call)).not.toContain(`PATCH ${PROJECTS}/team-a`);
  });

  it('show a role that somebody else gave meanwhile in place of one that was only chosen', async () => {
    renderPage(projectRoutes, '/projects/team-a/members');
    const role = await screen.findByRole('combobox', { name: 'Role of builders' });
    await user.selectOptions(role, 'admin');
    const [ada, builders] = TEAM_A.spec.members;
    const members = [ada, { ...builders, role: 'viewer' }];
    const watch = await api.watchOf(PROJECTS);
    const metadata = { ...TEAM_A.metadata, resourceVersion: '8' };
    watch.send({ type: 'MODIFIED', object: { ...TEAM_A, metadata, spec: { ...TEAM_A.spec, members } } });
    await waitFor(() => expect(role).toHaveValue('viewer'));
  });

  it('have roles of a word, which fits on a phone, and say what each may do beside them', async () => {
    renderPage(projectRoutes, '/projects/team-a/members');
    const role = await screen.findByRole('combobox', { name: 'Role of ada' });
    expect(
      within(role)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['Viewer', 'Operator', 'Admin']);
    expect(screen.getByText(/operators change clusters/)).toBeVisible();
  });

  it('change the role of nobody who is added a second time', async () => {
    api.json(`${PROJECTS}/team-a`, TEAM_A, { method: 'PATCH' });
    renderPage(projectRoutes, '/projects/team-a/members');
    await user.click(await screen.findByRole('button', { name: 'Add member' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a member' }));
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'ada');
    expect(dialog.getByText(/ada is a member already: Admin/)).toBeVisible();
    expect(dialog.getByRole('button', { name: 'Add member' })).toBeDisabled();
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Kind' }), 'Group');
    await user.click(dialog.getByRole('button', { name: 'Add member' }));
    await waitFor(() =>
      expect(sent(`PATCH ${PROJECTS}/team-a`)).toMatchObject({
        spec: { members: [...TEAM_A.spec.members, { kind: 'Group', name: 'ada', role: 'viewer' }] },
      }),
    );
  });

  it('warn whoever removes themselves', async () => {
    renderPage(projectRoutes, '/projects/team-a/members');
    await user.click(await screen.findByRole('button', { name: 'Remove ada' }));
    expect(await screen.findByText(/This is you/)).toBeVisible();
  });

  it('let nobody change members who may not', async () => {
    api.json(REVIEWS, { status: { allowed: false } }, { method: 'POST' });
    renderPage(projectRoutes, '/projects/team-a/members');
    await waitFor(async () => expect(await screen.findByRole('combobox', { name: 'Role of ada' })).toBeDisabled());
    expect(screen.getByRole('button', { name: 'Add member' })).toHaveAttribute('aria-disabled', 'true');
  });

  it('replace credentials, which never come back', async () => {
    const account = {
      metadata: { name: 'main', namespace: 'team-a', resourceVersion: '1' },
      spec: { provider: 'aws', accountId: '123456789012' },
      status: {
        conditions: [{ type: 'Ready', status: 'False', reason: 'Refused', message: 'The key was taken back' }],
        sweep: {
          regions: ['us-east-1'],
          omitted: 0,
          findings: [
            {
              type: 'aws_subnet',
              id: 'subnet-1',
              region: 'us-east-1',
              owner: { uid: '' },
              since: '2026-01-01T00:00:00Z',
              decision: 'report',
              reason: 'OwnerUnknown',
              message: 'Nobody knows whose it is',
            },
          ],
        },
      },
    };
    api.list(ACCOUNTS, [account]);
    api.json(`${ACCOUNTS}/main`, account, { method: 'PATCH' });
    const { container } = renderPage(projectRoutes, '/projects/team-a/accounts');
    expect(await screen.findByText(/The key was taken back/)).toBeVisible();
    expect(screen.getByRole('row', { name: /aws_subnet subnet-1 us-east-1 A person decides/ })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Replace credentials of main' }));
    const dialog = await screen.findByRole('dialog', { name: 'Replace the credentials of main' });
    expect(within(dialog).getByLabelText(/Secret access key/)).toHaveAttribute('type', 'password');
    await user.type(within(dialog).getByLabelText(/Access key id/), 'AKIA');
    await user.type(within(dialog).getByLabelText(/Secret access key/), 's3cret');
    await user.click(within(dialog).getByRole('button', { name: 'Replace' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PATCH ${ACCOUNTS}/main`)).toEqual({
      spec: { credentials: { accessKeyId: 'AKIA', secretAccessKey: 's3cret' } },
    });
  });

  it('add an account, whose keys are asked for where they are needed', async () => {
    api.list(ACCOUNTS, []);
    api.json(ACCOUNTS, {}, { method: 'POST' });
    const { container } = renderPage(projectRoutes, '/projects/team-a/accounts');
    expect(await screen.findByRole('heading', { name: 'No cloud accounts yet' })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Add account' }));
    const dialog = await screen.findByRole('dialog', { name: 'Add a cloud account' });
    const fill = (label: RegExp, text: string): Promise<void> => user.type(within(dialog).getByLabelText(label), text);
    await fill(/^Name/, 'main');
    expect(within(dialog).getByRole('button', { name: 'Add' })).toBeDisabled();
    await fill(/^Account/, '123456789012');
    await fill(/Access key id/, 'AKIA');
    await fill(/Secret access key/, 's3cret');
    await fill(/Permissions boundary/, 'arn:aws:iam::123456789012:policy/b');
    expect(await axeFindings(dialog)).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Add' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`POST ${ACCOUNTS}`)).toMatchObject({
      kind: 'CloudAccount',
      metadata: { name: 'main', namespace: 'team-a' },
      spec: {
        provider: 'aws',
        accountId: '123456789012',
        credentials: { accessKeyId: 'AKIA', secretAccessKey: 's3cret' },
        permissionsBoundary: 'arn:aws:iam::123456789012:policy/b',
      },
    });
  });

  it('remove an account that no cluster uses, and say why when one does', async () => {
    const account = { metadata: { name: 'main', namespace: 'team-a', uid: 'a1' }, spec: { provider: 'aws' } };
    api.list(ACCOUNTS, [account]);
    api.refuse(`${ACCOUNTS}/main`, 409, { reason: 'Conflict', message: 'cluster "demo" uses it' }, 'DELETE');
    renderPage(projectRoutes, '/projects/team-a/accounts');
    await user.click(await screen.findByRole('button', { name: 'Remove main' }));
    const dialog = await screen.findByRole('dialog', { name: /Remove the account main/ });
    await user.click(within(dialog).getByRole('button', { name: 'Remove' }));
    expect(await within(dialog).findByText('cluster "demo" uses it')).toBeVisible();
    expect(sent(`DELETE ${ACCOUNTS}/main`)).toEqual({ preconditions: { uid: 'a1' } });
  });

  it('change what is allowed list by list, for what was read', async () => {
    api.json(`${PROJECTS}/team-a`, TEAM_A, { method: 'PATCH' });
    renderPage(projectRoutes, '/projects/team-a/overview');
    await user.click(await screen.findByRole('button', { name: 'Change what is allowed' }));
    const dialog = await screen.findByRole('dialog', { name: 'Change what is allowed' });
    await user.type(within(dialog).getByRole('textbox', { name: 'Regions, one a line' }), '{enter}eu-west-1{enter}');
    await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Classes: how much' }), 'All');
    await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Machine types: how much' }), 'Only these');
    await user.type(within(dialog).getByRole('textbox', { name: 'Machine types, one a line' }), 'm5.*');
    expect(await axeFindings(dialog)).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PATCH ${PROJECTS}/team-a`)).toEqual([
      { op: 'test', path: '/spec/allowed', value: { regions: ['us-east-1'], classes: [] } },
      { op: 'replace', path: '/spec/allowed', value: { regions: ['us-east-1', 'eu-west-1'], machineTypes: ['m5.*'] } },
    ]);
  });

  it('do not overwrite what somebody else saved while a dialog was open', async () => {
    const message =
      'Project "team-a" is invalid: the JSON patch could not be applied: test operation failed at operation 0';
    api.refuse(`${PROJECTS}/team-a`, 422, { reason: 'Invalid', message }, 'PATCH');
    renderPage(projectRoutes, '/projects/team-a/overview');
    await user.click(await screen.findByRole('button', { name: 'Change what is allowed' }));
    const dialog = await screen.findByRole('dialog', { name: 'Change what is allowed' });
    const spec = { ...TEAM_A.spec, displayName: 'By somebody else', allowed: { regions: ['eu-west-1'] } };
    const watch = await api.watchOf(PROJECTS);
    watch.send({
      type: 'MODIFIED',
      object: { ...TEAM_A, metadata: { ...TEAM_A.metadata, resourceVersion: '8' }, spec },
    });
    await screen.findByText('By somebody else');
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    expect(await within(dialog).findByText(/Somebody else changed this meanwhile/)).toBeVisible();
    expect(sent(`PATCH ${PROJECTS}/team-a`)).toMatchObject([
      { op: 'test', path: '/spec/allowed', value: { regions: ['us-east-1'], classes: [] } },
      { op: 'replace' },
    ]);
  });

  it('change defaults, and take away those that are emptied', async () => {
    api.json(`${PROJECTS}/team-a`, TEAM_A, { method: 'PATCH' });
    renderPage(projectRoutes, '/projects/team-a/overview');
    await user.click(await screen.findByRole('button', { name: 'Change defaults' }));
    const dialog = await screen.findByRole('dialog', { name: 'Change defaults' });
    await user.clear(within(dialog).getByRole('textbox', { name: 'Region' }));
    await user.type(within(dialog).getByRole('textbox', { name: 'Cloud account' }), 'main');
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PATCH ${PROJECTS}/team-a`)).toEqual([
      { op: 'test', path: '/spec/defaults', value: { region: 'us-east-1' } },
      { op: 'replace', path: '/spec/defaults', value: { accountRef: { name: 'main' } } },
    ]);
  });

  it('show the token of a new key this once', async () => {
    api.list(KEYS, []);
    api.json(KEYS, {}, { method: 'POST' });
    api.json(`${KEYS}/ci/token`, { status: { token: 'crate_abc' } }, { method: 'POST' });
    const { container } = renderPage(projectRoutes, '/projects/team-a/keys');
    await user.click(await screen.findByRole('button', { name: 'Create API key' }));
    const dialog = await screen.findByRole('dialog', { name: 'Create an API key' });
    await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'ci');
    await user.click(within(dialog).getByRole('button', { name: 'Create' }));
    const shown = await screen.findByRole('dialog', { name: 'The token of ci' });
    expect(within(shown).getByRole('textbox', { name: 'Token' })).toHaveValue('crate_abc');
    expect(await axeFindings(shown)).toEqual([]);
    await user.click(within(shown).getByRole('button', { name: 'I have it' }));
    await waitFor(() => expect(document.body.innerHTML).not.toContain('crate_abc'));
    expect(await axeFindings(container)).toEqual([]);
  });

  it('have a token issued for the key that was made when that failed at first, and for no other', async () => {
    api.list(KEYS, []);
    api.json(KEYS, {}, { method: 'POST' });
    api.refuse(`${KEYS}/ci/token`, 503, { reason: 'ServiceUnavailable', message: 'not now' }, 'POST');
    renderPage(projectRoutes, '/projects/team-a/keys');
    await user.click(await screen.findByRole('button', { name: 'Create API key' }));
    const dialog = await screen.findByRole('dialog', { name: 'Create an API key' });
    await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'ci');
    await user.click(within(dialog).getByRole('button', { name: 'Create' }));
    expect(await within(dialog).findByText('not now')).toBeVisible();
    expect(within(dialog).getByText(/The key ci is made/)).toBeVisible();
    expect(within(dialog).queryByRole('textbox')).toBeNull();
    api.json(`${KEYS}/ci/token`, { status: { token: 'crate_abc' } }, { method: 'POST' });
    await user.click(within(dialog).getByRole('button', { name: 'New token' }));
    await screen.findByRole('dialog', { name: 'The token of ci' });
    expect(api.calls.filter(({ call }) => call === `POST ${KEYS}`)).toHaveLength(1);
  });

  it('revoke the key that was shown, and no other of its name', async () => {
    api.list(KEYS, [{ metadata: { name: 'ci', namespace: 'team-a', uid: 'k1' }, spec: { role: 'viewer' } }]);
    api.json(`${KEYS}/ci`, {}, { method: 'DELETE' });
    renderPage(projectRoutes, '/projects/team-a/keys');
    await user.click(await screen.findByRole('button', { name: 'Revoke ci' }));
    const dialog = await screen.findByRole('dialog', { name: /Revoke ci/ });
    await user.click(within(dialog).getByRole('button', { name: 'Revoke' }));
    await waitFor(() => expect(sent(`DELETE ${KEYS}/ci`)).toEqual({ preconditions: { uid: 'k1' } }));
  });

  it('have a page that says so when there is none of the name', async () => {
    api.list(PROJECTS, []);
    renderPage(projectRoutes, '/projects/none/overview');
    expect(await screen.findByRole('heading', { name: 'There is no Project none' })).toBeVisible();
  });
});

describe('a quota', () => {
  it('of 0 is full from the beginning', () => {
    const project = { ...TEAM_A, spec: { ...TEAM_A.spec, quotas: { clusters: 0 } }, status: undefined };
    expect(quotaOf(project as never, 'clusters')).toEqual({ used: 0, limit: 0, percent: 100, isFull: true });
  });
});
