import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster, aCondition } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';

const api = new PlayedApi();
const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const CLUSTERS = `${LIFECYCLE}/namespaces/team-a/clusters`;
const INSTALLATIONS = '/apis/cluster.crate.dev/v1alpha1/namespaces/team-a/addoninstallations';

const SCHEMA = {
  type: 'object',
  required: ['team'],
  properties: {
    replicas: { title: 'Replicas', type: 'integer', minimum: 1, maximum: 5, default: 2 },
    team: { title: 'Team', description: 'Who runs it', type: 'string' },
    hosts: { title: 'Hosts', type: 'array', items: { type: 'string' } },
    labels: { title: 'Labels', type: 'object', additionalProperties: { type: 'string' } },
    isLoud: { title: 'Loud', type: 'boolean' },
    isOpen: { title: 'Open', type: 'boolean', default: true },
    resources: {
      title: 'Resources',
      type: 'object',
      properties: { memory: { title: 'Memory', type: 'string', enum: ['64Mi', '128Mi'] } },
    },
  },
};
const entry = (name: string, version: string, dependsOn: string[] = [], more: object = {}): object => ({
  metadata: { name, uid: name },
  spec: { displayName: name, description: `About ${name}`, version, dependsOn, manifests: [], ...more },
});
const installed = (addOn: string, version: string): object => ({
  metadata: { name: `demo-${addOn}`, namespace: 'team-a', uid: addOn },
  spec: { clusterRef: { name: 'demo' }, addOn, version, manifests: [] },
  status: { version, conditions: [aCondition('Ready', 'True')] },
});

describe('add-ons of a cluster', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(CLUSTERS, [aCluster()]);
    api.list(INSTALLATIONS, [installed('docs', '1.0.0'), installed('baseline', '1.0.0')]);
    api.list(`${LIFECYCLE}/addons`, [
      entry('docs', '1.1.0', ['baseline']),
      entry('baseline', '1.0.0'),
      entry('ingress', '2.0.0', [], { valuesSchema: SCHEMA }),
    ]);
    api.json(
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { status: { allowed: true } },
      { method: 'POST' },
    );
    api.json(`${CLUSTERS}/demo`, aCluster(), { method: 'PATCH' });
  });
  afterEach(() => api.remove());

  it('tell what is there and why, and which version the cluster goes to', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/add-ons');
    const table = await screen.findByRole('grid', { name: 'Add-ons' });
    expect(await within(table).findByText('1.0.0 → 1.1.0')).toBeVisible();
    expect(within(table).getByText(/A dependency. Needed by docs/)).toBeVisible();
    expect(within(table).queryByRole('button', { name: 'Remove baseline' })).toBeNull();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('are asked for beside those that are, unless somebody was quicker', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/add-ons');
    await user.click(await screen.findByRole('button', { name: 'Install ingress' }));
    const dialog = await screen.findByRole('dialog', { name: 'Install ingress' });
    expect(await within(dialog).findByText(/Nothing: no machine/)).toBeVisible();
    await user.click(within(dialog).getByRole('button', { name: 'Install' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const writes = api.calls.filter(({ call }) => call.startsWith('PATCH'));
    expect(JSON.parse(writes.at(-1)?.body as string)).toEqual([
      { op: 'test', path: '/spec/addOns', value: [{ name: 'docs' }] },
      { op: 'replace', path: '/spec/addOns', value: [{ name: 'docs' }, { name: 'ingress' }] },
    ]);
  });

  const catalogueCalls = (): readonly unknown[] => api.calls.filter(({ call }) => call === `GET ${LIFECYCLE}/addons`);
  const lastWrite = (): unknown =>
    JSON.parse(api.calls.filter(({ call }) => call.startsWith('PATCH')).at(-1)?.body as string);
  const openForm = async (name: string): Promise<HTMLElement> => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/add-ons');
    await user.click(await screen.findByRole('button', { name }));
    return screen.findByRole('dialog', { name: new RegExp(name) });
  };

  it('keep the form that is filled in when the catalogue cannot be had again', async () => {
    const form = await openForm('Install ingress');
    await user.type(within(form).getByRole('textbox', { name: /Team/ }), 'blue');
    const { length } = catalogueCalls();
    api.fail(`${LIFECYCLE}/addons`);
    act(() => void window.dispatchEvent(new Event('visibilitychange')));
    await waitFor(() => expect(catalogueCalls().length).toBeGreaterThan(length));
    await user.type(within(form).getByRole('textbox', { name: /Team/ }), 'r');
    expect(await screen.findByRole('textbox', { name: /Team/ })).toHaveValue('bluer');
    expect(await screen.findByText(/^This could not be read anew/)).toBeInTheDocument();
  });

  it('are configured by a form made from their schema, whatever the type of a value', async () => {
    const form = await openForm('Install ingress');
    await user.type(within(form).getByRole('textbox', { name: /Team/ }), 'blue');
    await user.type(within(form).getByRole('spinbutton', { name: 'Replicas' }), '3');
    await user.type(within(form).getByRole('textbox', { name: 'Hosts' }), 'a.example{Enter}b.example');
    await user.type(within(form).getByRole('textbox', { name: 'Labels' }), 'tier=web');
    await user.click(within(form).getByRole('switch', { name: 'Loud' }));
    await user.selectOptions(within(form).getByRole('combobox', { name: 'Memory' }), '128Mi');
    expect(within(form).getByText(/usually 2/)).toBeVisible();
    const open = within(form).getByRole('switch', { name: 'Open' });
    expect(open).toBeChecked();
    await user.click(open);
    expect(await axeFindings(form)).toEqual([]);
    await user.click(within(form).getByRole('button', { name: 'Install' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const values = {
      team: 'blue',
      replicas: 3,
      hosts: ['a.example', 'b.example'],
      labels: { tier: 'web' },
      isLoud: true,
      isOpen: false,
      resources: { memory: '128Mi' },
    };
    expect(lastWrite()).toMatchObject([{ op: 'test' }, { value: [{ name: 'docs' }, { name: 'ingress', values }] }]);
  });

  it('say at the field what is wrong with a value, in the words of the server', async () => {
    const field = 'spec.addOns[1].values.replicas';
    const causes = [{ reason: 'FieldValueInvalid', field, message: 'Invalid value: 9: must be at most 5' }];
    api.json(
      `${CLUSTERS}/demo`,
      { kind: 'Status', code: 422, reason: 'Invalid', message: 'is invalid', details: { causes } },
      { method: 'PATCH', status: 422 },
    );
    const form = await openForm('Install ingress');
    const replicas = within(form).getByRole('spinbutton', { name: 'Replicas' });
    await user.type(replicas, '9');
    expect(await within(form).findByText('Invalid value: 9: must be at most 5')).toBeVisible();
    expect(replicas).toBeInvalid();
    expect(within(form).getByText('It cannot be done like this')).toBeVisible();
  });

  it('stay on a version that is stated, until somebody upgrades them', async () => {
    const stated = { name: 'docs', version: '1.0.0', values: { size: 1 } };
    api.list(CLUSTERS, [aCluster({}, { spec: { addOns: [stated] } })]);
    const form = await openForm('Upgrade docs to 1.1.0');
    await user.click(within(form).getByRole('button', { name: 'Upgrade' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(lastWrite()).toMatchObject([{ op: 'test' }, { value: [{ ...stated, version: '1.1.0' }] }]);
  });

  it('are removed after a question', async () => {
    const form = await openForm('Remove docs');
    await user.click(within(form).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(lastWrite()).toMatchObject([{ op: 'test' }, { op: 'replace', value: [] }]);
  });

  const GREETER = entry('greeter', '1.0.0', ['baseline'], { defaultFor: ['aws'], valuesSchema: SCHEMA });

  it('that come by default say so, and are left out in so many words', async () => {
    api.list(CLUSTERS, [aCluster({}, { spec: { addOns: [] } })]);
    api.list(INSTALLATIONS, [installed('greeter', '1.0.0'), installed('baseline', '1.0.0')]);
    api.list(`${LIFECYCLE}/addons`, [GREETER, entry('baseline', '1.0.0')]);
    const form = await openForm('Remove greeter');
    expect(screen.getByText(/By default in this cloud/)).toBeInTheDocument();
    expect(screen.getByText(/A dependency. Needed by greeter/)).toBeInTheDocument();
    await user.click(within(form).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(lastWrite()).toMatchObject([{ op: 'test', value: [] }, { value: [{ name: 'greeter', enabled: false }] }]);
  });

  it('that were left out are installed after all', async () => {
    api.list(CLUSTERS, [aCluster({}, { spec: { addOns: [{ name: 'greeter', enabled: false }] } })]);
    api.list(INSTALLATIONS, []);
    api.list(`${LIFECYCLE}/addons`, [GREETER, entry('baseline', '1.0.0')]);
    const form = await openForm('Install greeter');
    expect(screen.getByText('Left out of this cluster.')).toBeInTheDocument();
    await user.click(within(form).getByRole('button', { name: 'Install' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(lastWrite()).toEqual([expect.anything(), expect.objectContaining({ value: [{ name: 'greeter' }] })]);
  });
});
