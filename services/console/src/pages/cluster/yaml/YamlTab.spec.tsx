import { EditorView } from '@codemirror/view';
import type { Cluster } from '@crate/api';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { forgetTyped } from '../../../api/typed-texts.js';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';
import { yamlOf } from './cluster-yaml.js';

const api = new PlayedApi();
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const CLUSTER = `${CLUSTERS}/demo`;
const RECORDS = '/apis/cloud.crate.dev/v1alpha1/namespaces/team-a/deletionrecords';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

const changedByOthers = aCluster({}, { spec: { paused: true }, metadata: { generation: 2, resourceVersion: '25' } });

const changedAgain = aCluster({}, { metadata: { generation: 3, resourceVersion: '26' } });

/** The editor, which has a root of its own. */
async function editorOf(container: HTMLElement): Promise<EditorView> {
  await screen.findByText(/Escape and then Tab/);
  const host = [...container.querySelectorAll('div')].find((each) => each.shadowRoot);
  const content = host?.shadowRoot?.querySelector<HTMLElement>('[role=textbox]');
  return EditorView.findFromDOM(content as HTMLElement) as EditorView;
}

/** Types at the end. */
function type(editor: EditorView, insert: string): void {
  act(() => editor.dispatch({ changes: { from: editor.state.doc.length, insert } }));
}

describe('a cluster as YAML', () => {
  beforeEach(() => {
    forgetLiveLists();
    forgetTyped();
    api.install();
    api.list(CLUSTERS, [aCluster()]);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
  });
  afterEach(() => api.remove());

  it('is tried and applied only once something is changed', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    const show = await screen.findByRole('button', { name: 'Show what changes' });
    expect(show).toHaveAttribute('aria-disabled', 'true');
    expect(screen.getByRole('button', { name: 'Apply' })).toHaveAttribute('aria-disabled', 'true');
    await user.click(show);
    expect(api.calls.some(({ call }) => call.startsWith('PUT'))).toBe(false);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('is as it was left, when the way leads elsewhere and back before it is applied', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    type(await editorOf(container), '# mine');
    await user.click(screen.getByRole('link', { name: 'Overview' }));
    await waitFor(() => expect(screen.queryByText(/Escape and then Tab/)).toBeNull());
    await user.click(screen.getByRole('link', { name: 'YAML' }));
    expect((await editorOf(container)).state.doc.toString()).toMatch(/# mine$/);
    await user.click(screen.getByRole('button', { name: 'Discard my changes' }));
    await user.click(screen.getByRole('link', { name: 'Overview' }));
    await waitFor(() => expect(screen.queryByText(/Escape and then Tab/)).toBeNull());
    await user.click(screen.getByRole('link', { name: 'YAML' }));
    expect((await editorOf(container)).state.doc.toString()).not.toMatch(/# mine/);
  });

  it('says at once when somebody else changed it, and takes their version', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    await screen.findByRole('button', { name: 'Show what changes' });
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'MODIFIED', object: changedByOthers });
    const alert = (await screen.findByText('Somebody changed this cluster meanwhile')).closest('.pf-v6-c-alert');
    await user.click(within(alert as HTMLElement).getByRole('button', { name: 'Discard my changes' }));
    await waitFor(() => expect(screen.queryByText('Somebody changed this cluster meanwhile')).toBeNull());
  });

  it('is written at the newest version after the status alone has changed', async () => {
    api.json(CLUSTER, aCluster(), { method: 'PUT' });
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    type(await editorOf(container), '# mine');
    const watch = await api.watchOf(CLUSTERS);
    const status = { nodes: { ready: 4, desired: 5 } };
    watch.send({ type: 'MODIFIED', object: aCluster(status, { metadata: { resourceVersion: '25' } }) });
    await screen.findByText('4 of 5 nodes ready');
    expect(screen.queryByText('Somebody changed this cluster meanwhile')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Show what changes' }));
    await waitFor(() => expect(sentVersions()).toEqual(['25']));
  });

  it('is written once more when the page had not heard yet of a newer status', async () => {
    api.refuse(CLUSTER, 409, { reason: 'Conflict', message: 'it was changed' }, 'PUT');
    api.json(CLUSTER, aCluster({}, { metadata: { resourceVersion: '26' } }));
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    type(await editorOf(container), '# mine');
    await user.click(screen.getByRole('button', { name: 'Show what changes' }));
    await waitFor(() => expect(sentVersions()).toEqual(['24', '26']));
    expect(await screen.findByText('it was changed')).toBeInTheDocument();
  });

  it('is not written over what the page had not heard of', async () => {
    api.refuse(CLUSTER, 409, { reason: 'Conflict', message: 'it was changed' }, 'PUT');
    api.json(CLUSTER, changedByOthers);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    type(await editorOf(container), '# mine');
    await user.click(screen.getByRole('button', { name: 'Show what changes' }));
    expect(await screen.findByText(/asks what becomes of your changes/)).toBeInTheDocument();
    expect(sentVersions()).toEqual(['24']);
  });

  it("is nobody else's change when the cluster says just that by now, as after a plan of it", async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    const editor = await editorOf(container);
    const insert = `# mine\n${yamlOf(changedByOthers)}`;
    act(() => editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert } }));
    await user.click(screen.getByRole('link', { name: 'Overview' }));
    await waitFor(() => expect(screen.queryByText(/Escape and then Tab/)).toBeNull());
    const watch = await api.watchOf(CLUSTERS);
    await act(async () => watch.send({ type: 'MODIFIED', object: changedByOthers }));
    await user.click(screen.getByRole('link', { name: 'YAML' }));
    await editorOf(container);
    expect(screen.queryByText('Somebody changed this cluster meanwhile')).toBeNull();
    await act(async () => watch.send({ type: 'MODIFIED', object: changedAgain }));
    expect(await screen.findByText('Somebody changed this cluster meanwhile')).toBeVisible();
  });

  it("is nobody else's change when it was applied here, though the page has not heard of it yet", async () => {
    api.json(CLUSTER, changedByOthers, { method: 'PUT' });
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    const editor = await editorOf(container);
    type(editor, '# mine');
    await user.click(screen.getByRole('button', { name: 'Show what changes' }));
    await screen.findByRole('list', { name: 'What this leads to' });
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    expect(await screen.findByText('The server took it; work begins')).toBeVisible();
    expect(screen.queryByText('Somebody changed this cluster meanwhile')).toBeNull();
    type(editor, '# more');
    await user.click(screen.getByRole('button', { name: 'Discard my changes' }));
    expect(editor.state.doc.toString()).toContain('paused: true');
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'MODIFIED', object: aCluster({}, { metadata: { generation: 3, resourceVersion: '26' } }) });
    expect(await screen.findByText('Somebody changed this cluster meanwhile')).toBeVisible();
  });

  it('says no more why it was not planned once the text, or what was asked for, is another one', async () => {
    const plans = CLUSTERS.replace('clusters', 'plans');
    api.refuse(plans, 403, { reason: 'Forbidden', message: 'not for you' }, 'POST');
    api.json(CLUSTER, aCluster());
    api.json(CLUSTER, changedByOthers, { method: 'PUT' });
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    const editor = await editorOf(container);
    const plan = async (): Promise<void> => {
      await user.click(screen.getByRole('button', { name: 'Make a plan of it' }));
      await screen.findByText('not for you');
    };
    type(editor, '# mine');
    await plan();
    type(editor, '# more');
    await waitFor(() => expect(screen.queryByText('not for you')).toBeNull());
    await plan();
    await user.click(screen.getByRole('button', { name: 'Show what changes' }));
    await screen.findByRole('list', { name: 'What this leads to' });
    expect(screen.queryByText('not for you')).toBeNull();
    await plan();
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    expect(await screen.findByText('The server took it; work begins')).toBeVisible();
    expect(screen.queryByText('not for you')).toBeNull();
  });

  it('is not planned with marks, which a plan does not take along, and says so', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    const editor = await editorOf(container);
    const plan = screen.getByRole('button', { name: 'Make a plan of it' });
    type(editor, '# mine');
    await waitFor(() => expect(plan).not.toHaveAttribute('aria-disabled', 'true'));
    const from = editor.state.doc.toString().indexOf('spec:');
    act(() => editor.dispatch({ changes: { from, insert: '  labels:\n    tier: gold\n' } }));
    await waitFor(() => expect(plan).toHaveAttribute('aria-disabled', 'true'));
    await user.hover(plan);
    expect(await screen.findByText(/A plan takes along the spec alone/)).toBeInTheDocument();
  });

  it('is not planned over what others changed meanwhile', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    type(await editorOf(container), '# mine');
    const plan = screen.getByRole('button', { name: 'Make a plan of it' });
    await waitFor(() => expect(plan).not.toHaveAttribute('aria-disabled', 'true'));
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'MODIFIED', object: changedByOthers });
    await waitFor(() => expect(plan).toHaveAttribute('aria-disabled', 'true'));
    await user.click(screen.getByRole('button', { name: /^Keep my changes/ }));
    await waitFor(() => expect(plan).not.toHaveAttribute('aria-disabled', 'true'));
  });

  it('is not planned over what the page had not heard of', async () => {
    api.json(CLUSTER, changedByOthers);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    type(await editorOf(container), '# mine');
    await user.click(screen.getByRole('button', { name: 'Make a plan of it' }));
    expect(await screen.findByText(/asks what becomes of your changes/)).toBeInTheDocument();
    expect(api.calls.some(({ call }) => call.startsWith('POST') && call.endsWith('/plans'))).toBe(false);
  });

  it('keeps what was typed when the cluster is made anew, and says that it is another one', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    type(await editorOf(container), '# mine');
    const metadata = { uid: 'uid-new', resourceVersion: '25' };
    api.list(CLUSTERS, [aCluster({ nodes: { ready: 1, desired: 5 } }, { metadata })], '25');
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } });
    await screen.findByText('1 of 5 nodes ready');
    expect(await screen.findByText('Somebody changed this cluster meanwhile')).toBeVisible();
    expect((await editorOf(container)).state.doc.toString()).toContain('# mine');
  });

  it('keeps what was typed when the cluster is gone, and made anew later', async () => {
    api.list(RECORDS, []);
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    type(await editorOf(container), '# mine');
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'DELETED', object: aCluster({}, { metadata: { resourceVersion: '25' } }) });
    expect(await screen.findByText('There is no such cluster')).toBeVisible();
    expect((await editorOf(container)).state.doc.toString()).toContain('# mine');
    expect(screen.queryByRole('button', { name: 'Actions' })).toBeNull();
    expect(await axeFindings(container)).toEqual([]);
    const metadata = { uid: 'uid-new', resourceVersion: '26' };
    watch.send({ type: 'ADDED', object: aCluster({ nodes: { ready: 1, desired: 5 } }, { metadata }) });
    await screen.findByText('1 of 5 nodes ready');
    expect(screen.queryByText('There is no such cluster')).toBeNull();
    expect(await screen.findByText('Somebody changed this cluster meanwhile')).toBeVisible();
    expect((await editorOf(container)).state.doc.toString()).toContain('# mine');
  });

  it('takes no edits while it is planned, which would be left behind', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    const editor = await editorOf(container);
    type(editor, '# mine');
    globalThis.fetch = () => new Promise(() => undefined);
    await user.click(screen.getByRole('button', { name: 'Make a plan of it' }));
    await waitFor(() => expect(editor.state.readOnly).toBe(true));
  });

  it('is neither given up nor asked for again while it is planned, which leads to another page', async () => {
    api.json(CLUSTER, aCluster());
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    const editor = await editorOf(container);
    type(editor, '# mine');
    globalThis.fetch = () => new Promise(() => undefined);
    await user.click(screen.getByRole('button', { name: 'Make a plan of it' }));
    const watch = await api.watchOf(CLUSTERS);
    watch.send({ type: 'MODIFIED', object: changedByOthers });
    await screen.findByText('Somebody changed this cluster meanwhile');
    const names = ['Show what changes', 'Apply', 'Discard my changes', 'Keep my changes, and compare with the newest'];
    for (const button of names.flatMap((name) => screen.getAllByRole('button', { name }))) {
      expect(button).toHaveAttribute('aria-disabled', 'true');
      await user.click(button);
    }
    expect(editor.state.readOnly).toBe(true);
    expect(editor.state.doc.toString()).toContain('# mine');
  });

  it('takes no edits while it is applied, which its answer would replace', async () => {
    api.json(CLUSTER, aCluster(), { method: 'PUT' });
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/yaml');
    const editor = await editorOf(container);
    type(editor, '# mine');
    await user.click(screen.getByRole('button', { name: 'Show what changes' }));
    await screen.findByRole('list', { name: 'What this leads to' });
    let answer: (response: Response) => void = () => undefined;
    globalThis.fetch = () => new Promise((resolve) => (answer = resolve));
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() => expect(editor.state.readOnly).toBe(true));
    answer(Response.json(aCluster()));
    await waitFor(() => expect(editor.state.readOnly).toBe(false));
  });
});

/** At which versions of the cluster it was written. */
function sentVersions(): readonly unknown[] {
  const puts = api.calls.filter(({ call }) => call === `PUT ${CLUSTER}`);
  return puts.map(({ body }) => (JSON.parse(body as string) as Cluster).metadata.resourceVersion);
}
