import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { axeFindings } from '../../testing/axe.js';
import { PlayedApi } from '../../testing/played-api.js';
import { renderPage } from '../../testing/render-page.js';
import { createRoutes } from './routes.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const CLUSTERS = `${LIFECYCLE}/namespaces/team-a/clusters`;
const api = new PlayedApi();

const SMALL = {
  metadata: { name: 'small' },
  spec: {
    description: 'For development',
    parameters: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'string', enum: ['s', 'l'] },
        licence: { type: 'string', format: 'password' },
      },
    },
  },
};

const ACCOUNT = { metadata: { name: 'main' }, spec: { provider: 'aws' }, status: { conditions: [] } };

function refuse(...causes: readonly { readonly field: string; readonly message: string }[]): void {
  const body = { kind: 'Status', code: 422, reason: 'Invalid', message: 'invalid', details: { causes } };
  api.json(CLUSTERS, body, { method: 'POST', status: 422 });
}

const cluster = { metadata: { name: 'shop' }, spec: { region: 'us-east-1', nodePools: [], addOns: [] } };

function feedback(): HTMLElement {
  return screen.getByRole('region', { name: 'What this leads to' });
}

/** Chooses a project and a name. */
async function begin(): Promise<void> {
  await screen.findByRole('option', { name: 'team-a' });
  await userEvent.selectOptions(await screen.findByRole('combobox', { name: /Project/ }), 'team-a');
  await userEvent.type(screen.getByRole('textbox', { name: /^Name/ }), 'shop');
}

function kept(): unknown {
  return JSON.parse(sessionStorage.getItem('crate-create') ?? '{}');
}

describe('making a cluster', () => {
  beforeEach(() => {
    api.install();
    sessionStorage.clear();
    api.list(`${LIFECYCLE}/clusterclasses`, [SMALL]);
    api.list(`${LIFECYCLE}/projects`, [{ metadata: { name: 'team-a' }, spec: {} }]);
    api.list('/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/cloudaccounts', [ACCOUNT]);
    api.list(`${LIFECYCLE}/addons`, []);
    api.json('/openapi/v3/apis/lifecycle.crate.dev/v1alpha1', { components: { schemas: {} } });
  });
  afterEach(() => {
    cleanup();
    api.remove();
  });

  it('says why there is nothing to make where the platform looks after its own cluster, and what to do', async () => {
    api.json('/platform/status', { kind: 'PlatformStatus', detail: 'summary', inCluster: true });
    const { container } = renderPage(createRoutes, '/create');
    expect(await screen.findByRole('heading', { name: 'No clusters are made here' })).toBeVisible();
    expect(screen.getByText(/install Crate without inCluster\.enabled/)).toBeVisible();
    expect(screen.getByRole('link', { name: 'To the cluster' })).toHaveAttribute('href', '/console/');
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('asks nothing of the platform before there is a project and a name', async () => {
    const { container } = renderPage(createRoutes, '/create');
    expect(await screen.findByText(/Choose a project and a name/)).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
    expect(api.calls.map(({ call }) => call)).not.toContain(`POST ${CLUSTERS}`);
  });

  it('says at once to whoever may make no clusters in the project, and who can change that', async () => {
    api.json(
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { status: { allowed: false } },
      { method: 'POST' },
    );
    const { container } = renderPage(createRoutes, '/create');
    await screen.findByRole('option', { name: 'team-a' });
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: /Project/ }), 'team-a');
    expect(await screen.findByText(/You may not make clusters in team-a/)).toBeVisible();
    expect(screen.getByText(/An administrator of the Project/)).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('takes the values of an add-on by a form, and the version that the cluster stays on', async () => {
    const valuesSchema = {
      type: 'object',
      properties: { replicas: { title: 'Replicas', type: 'integer', default: 2 } },
    };
    const content = { version: '1.1.0', dependsOn: [], valuesSchema, manifests: [] };
    const earlier = [{ ...content, version: '1.0.0' }];
    const spec = { displayName: 'Documentation', description: '', ...content, earlier };
    api.list(`${LIFECYCLE}/addons`, [{ metadata: { name: 'docs' }, spec }]);
    const { container } = renderPage(createRoutes, '/create?step=addOns');
    await userEvent.click(await screen.findByRole('checkbox', { name: /Documentation/ }));
    await userEvent.type(screen.getByRole('spinbutton', { name: 'Replicas' }), '3');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Version' }), '1.0.0');
    expect(await axeFindings(container)).toEqual([]);
    const addOns = [{ name: 'docs', version: '1.0.0', values: { replicas: 3 } }];
    await waitFor(() => expect(JSON.stringify(kept())).toContain(JSON.stringify(addOns[0]?.values)));
    expect(JSON.stringify(kept())).toContain('"version":"1.0.0"');
  });

  it('leaves out an add-on that comes by default in the chosen cloud, and says at once that it would come', async () => {
    const spec = { displayName: 'Volumes', description: '', version: '1.0.0', dependsOn: [], manifests: [] };
    api.list(`${LIFECYCLE}/addons`, [{ metadata: { name: 'volumes' }, spec: { ...spec, defaultFor: ['aws'] } }]);
    const draft = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', metadata: { namespace: 'team-a' } };
    sessionStorage.setItem('crate-create', JSON.stringify({ ...draft, spec: { accountRef: { name: 'main' } } }));
    renderPage(createRoutes, '/create?step=addOns');
    const volumes = await screen.findByRole('checkbox', { name: /Volumes/ });
    await waitFor(() => expect(volumes).toBeChecked());
    expect(screen.getByText(/by default in this cloud/)).toBeVisible();
    await userEvent.click(volumes);
    expect(volumes).not.toBeChecked();
    expect(kept()).toMatchObject({ spec: { addOns: [{ name: 'volumes', enabled: false }] } });
    await userEvent.click(volumes);
    expect(volumes).toBeChecked();
    expect(kept()).not.toHaveProperty('spec.addOns');
  });

  it('has accounts chosen from, from the beginning: a field does not become another one under the hand', async () => {
    renderPage(createRoutes, '/create?project=team-a&step=cloud');
    const field = await screen.findByLabelText(/^Cloud account/);
    expect(field.tagName).toBe('SELECT');
    await screen.findByRole('option', { name: /main|sandbox/ });
    expect(screen.getByLabelText(/^Cloud account/)).toBe(field);
  });

  it('has projects chosen from, from the beginning', async () => {
    renderPage(createRoutes, '/create');
    const field = await screen.findByLabelText(/^Project/);
    expect(field.tagName).toBe('SELECT');
    await screen.findByRole('option', { name: 'team-a' });
    expect(screen.getByLabelText(/^Project/)).toBe(field);
  });

  it('takes the name of a project from who may not list them, and keeps what was typed when they arrive after all', async () => {
    api.refuse(`${LIFECYCLE}/projects`, 403, { reason: 'Forbidden', message: 'not for you' });
    const { container } = renderPage(createRoutes, '/create');
    await waitFor(() => expect(screen.getByLabelText(/^Project/).tagName).toBe('INPUT'));
    await userEvent.type(screen.getByLabelText(/^Project/), 'team');
    api.list(`${LIFECYCLE}/projects`, [{ metadata: { name: 'team-a' }, spec: {} }]);
    window.dispatchEvent(new Event('visibilitychange'));
    await waitFor(() => expect(container.querySelector('datalist option')).toHaveValue('team-a'));
    expect(screen.getByLabelText(/^Project/)).toHaveValue('team');
  });

  it('says what a draft would lead to', async () => {
    api.json(CLUSTERS, cluster, { method: 'POST' });
    renderPage(createRoutes, '/create');
    await begin();
    expect(await within(feedback()).findByText('It can be made as it is')).toBeVisible();
  });

  it('leads from what is wrong to where it is put right', async () => {
    refuse({ field: 'spec.region', message: 'is required' });
    const { container } = renderPage(createRoutes, '/create');
    await begin();
    await userEvent.click(await within(feedback()).findByRole('button', { name: 'spec.region' }));
    const region = await screen.findByLabelText(/^Region/);
    // Nobody has been here yet: nothing is wrong, it is only not filled in.
    expect(region).not.toHaveAttribute('aria-invalid', 'true');
    await userEvent.type(region, 'mars');
    await waitFor(() => expect(region).toHaveAttribute('aria-invalid', 'true'));
    expect(within(screen.getByRole('tabpanel')).getByText('is required')).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('makes a form of the parameters of a class, and keeps no secret of it', async () => {
    refuse({ field: 'spec.parameters.size', message: 'is required' });
    renderPage(createRoutes, '/create');
    await begin();
    await userEvent.click(screen.getByRole('radio', { name: 'small' }));
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: /size/ }), 'l');
    await userEvent.type(screen.getByLabelText('licence'), 'hush');
    expect(kept()).toMatchObject({ spec: { classRef: { name: 'small' }, parameters: { size: 'l' } } });
    expect(sessionStorage.getItem('crate-create')).not.toContain('hush');
  });

  it('goes on after a reload where it was', async () => {
    refuse();
    renderPage(createRoutes, '/create');
    await begin();
    cleanup();
    renderPage(createRoutes, '/create');
    expect(await screen.findByRole('textbox', { name: /^Name/ })).toHaveValue('shop');
  });

  it('says what the command for a terminal has still to be given', async () => {
    renderPage(createRoutes, '/create');
    await screen.findByRole('combobox', { name: /Project/ });
    await userEvent.click(screen.getByRole('tab', { name: /Review/ }));
    expect(await screen.findByText(/in the places of <PROJECT>, <NAME>/)).toBeVisible();
    expect(screen.getByText(/kubectl apply -f -/)).toHaveTextContent('metadata: name: <NAME> namespace: <PROJECT>');
    await userEvent.click(screen.getByRole('button', { name: 'curl' }));
    expect(screen.getByText(/curl -sS/)).toHaveTextContent("/namespaces/<PROJECT>/clusters'");
    await userEvent.click(screen.getByRole('tab', { name: /Start/ }));
    await begin();
    await userEvent.click(screen.getByRole('tab', { name: /Review/ }));
    expect(await screen.findByText(/kubectl apply -f -/)).toHaveTextContent('name: shop');
    expect(screen.queryByText(/Something is still missing/)).toBeNull();
  });

  it('states that there is no class from scratch: the Project may have one by default', async () => {
    refuse();
    renderPage(createRoutes, '/create');
    await begin();
    expect(kept()).toMatchObject({ spec: { classRef: null, kubernetes: {} } });
    await userEvent.click(screen.getByRole('radio', { name: 'small' }));
    expect(kept()).toMatchObject({ spec: { classRef: { name: 'small' } } });
    await userEvent.click(screen.getByRole('radio', { name: 'From scratch' }));
    expect(kept()).toMatchObject({ spec: { classRef: null, kubernetes: {} } });
  });

  it('offers what the patterns of a project allow, and no pattern as a region', async () => {
    const other = { ...SMALL, metadata: { name: 'other' } };
    const teams = { ...SMALL, metadata: { name: 'team-small' } };
    api.list(`${LIFECYCLE}/clusterclasses`, [teams, other]);
    const allowed = { classes: ['team-*'], regions: ['eu-*', 'us-east-1'], machineTypes: ['m5.*', 'c5.large'] };
    api.list(`${LIFECYCLE}/projects`, [{ metadata: { name: 'team-a' }, spec: { allowed } }]);
    refuse();
    const { container } = renderPage(createRoutes, '/create');
    await begin();
    expect(await screen.findByRole('radio', { name: 'team-small' })).toBeVisible();
    expect(screen.queryByRole('radio', { name: 'other' })).toBeNull();
    const suggested = (): unknown =>
      [...container.querySelectorAll('datalist option')].map((each) => each.getAttribute('value'));
    await userEvent.click(screen.getByRole('tab', { name: /Cloud/ }));
    await waitFor(() => expect(suggested()).toEqual(['us-east-1']));
  });

  it('ends in the document, and applies exactly that', async () => {
    api.json(CLUSTERS, cluster, { method: 'POST' });
    const { container } = renderPage(createRoutes, '/create?project=team-a&class=small');
    await userEvent.type(await screen.findByRole('textbox', { name: /^Name/ }), 'shop');
    await userEvent.click(screen.getByRole('tab', { name: /Review/ }));
    expect(await screen.findByText(/kubectl apply -f -/)).toHaveTextContent('name: shop');
    await userEvent.click(screen.getByRole('button', { name: 'curl' }));
    expect(screen.getByText(/curl -sS/)).toHaveTextContent(`${CLUSTERS}`);
    const button = screen.getByRole('button', { name: 'Create cluster' });
    await waitFor(() => expect(button).not.toHaveAttribute('aria-disabled', 'true'));
    expect(await axeFindings(container)).toEqual([]);
    const before = api.calls.length;
    await userEvent.click(button);
    await waitFor(() => expect(api.calls.slice(before).map(({ call }) => call)).toContain(`POST ${CLUSTERS}`));
    const { body } = api.calls.slice(before).find(({ call }) => call === `POST ${CLUSTERS}`) ?? {};
    expect(JSON.parse(String(body))).toEqual({
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Cluster',
      metadata: { namespace: 'team-a', name: 'shop' },
      spec: { classRef: { name: 'small' } },
    });
    await waitFor(() => expect(sessionStorage.getItem('crate-create')).toBeNull());
  });

  it('leads to a cluster that may have been made, where no answer came: another name would make a second one', async () => {
    api.json(CLUSTERS, cluster, { method: 'POST' });
    const { container } = renderPage(createRoutes, '/create?project=team-a&class=small');
    await userEvent.type(await screen.findByRole('textbox', { name: /^Name/ }), 'shop');
    await userEvent.click(screen.getByRole('tab', { name: /Review/ }));
    const button = await screen.findByRole('button', { name: 'Create cluster' });
    await waitFor(() => expect(button).not.toHaveAttribute('aria-disabled', 'true'));
    api.fail(CLUSTERS, 'POST');
    await userEvent.click(button);
    expect(await screen.findByText(/look whether it was done/)).toBeVisible();
    expect(screen.queryByText('Failed to fetch')).toBeNull();
    expect(screen.getByRole('link', { name: 'Look at shop' })).toHaveAttribute('href', '/console/clusters/team-a/shop');
    expect(await axeFindings(container)).toEqual([]);
  });

  it('says what it was refused for as it was made', async () => {
    api.json(CLUSTERS, cluster, { method: 'POST' });
    renderPage(createRoutes, '/create?project=team-a&class=small');
    await userEvent.type(await screen.findByRole('textbox', { name: /^Name/ }), 'shop');
    await userEvent.click(screen.getByRole('tab', { name: /Review/ }));
    const button = await screen.findByRole('button', { name: 'Create cluster' });
    await waitFor(() => expect(button).not.toHaveAttribute('aria-disabled', 'true'));
    refuse({ field: 'spec.region', message: 'is full' });
    await userEvent.click(button);
    expect(await screen.findByText('spec.region: is full')).toBeVisible();
    expect(screen.queryByRole('link', { name: 'Look at shop' })).toBeNull();
  });

  it('says in its own words that the platform does not answer what a draft would lead to', async () => {
    api.fail(CLUSTERS, 'POST');
    renderPage(createRoutes, '/create');
    await begin();
    expect(await within(feedback()).findByText(/The platform cannot be reached/)).toBeVisible();
  });
});
