import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';

const api = new PlayedApi();
const PROJECT = 'v1alpha1/namespaces/team-a';
const INFRASTRUCTURES = `/apis/cloud.crate.dev/${PROJECT}/infrastructures`;
const metadata = { name: 'demo', namespace: 'team-a', uid: 'uid-infrastructure' };
const conditions = [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }];

/** The graph, and what of it is moved. */
async function graph(): Promise<{ readonly frame: Element; readonly placeNow: () => string | null }> {
  await screen.findByRole('img', { name: /^Infrastructure demo/ });
  const frame = screen.getByRole('group', { name: 'What the cluster owns' });
  return { frame, placeNow: () => frame.querySelector('g')?.getAttribute('transform') ?? null };
}

/** jsdom's own events of pointers have no place. */
function pointer(on: Element, what: 'down' | 'move' | 'up', clientX: number, pointerId = 1): void {
  const event = new MouseEvent(`pointer${what}`, { bubbles: true, clientX, clientY: 0 });
  fireEvent(on, Object.assign(event, { pointerId, isPrimary: pointerId === 1 }));
}

describe('the parts of a cluster as a graph', () => {
  let container: HTMLElement;
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(`/apis/lifecycle.crate.dev/${PROJECT}/clusters`, [aCluster()]);
    api.list(INFRASTRUCTURES, [{ metadata, spec: {}, status: { conditions } }]);
    for (const kind of ['kubernetesclusters', 'addoninstallations'])
      api.list(`/apis/cluster.crate.dev/${PROJECT}/${kind}`, []);
    api.json(`${INFRASTRUCTURES}/demo/resources`, {
      resources: [{ address: 'aws_eip.nat', type: 'aws_eip', name: 'nat', id: 'eip-1', health: 'ok' }],
    });
    ({ container } = renderPage(clusterRoutes, '/clusters/team-a/demo/tree?view=graph'));
  });
  afterEach(() => api.remove());

  it('are all reached, and have nothing to find fault with', async () => {
    await graph();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('has groups that are opened and closed by a press and by keys', async () => {
    const group = await screen.findByRole('button', { name: /aws_eip/ });
    expect(group).toHaveAttribute('aria-expanded', 'false');
    expect(screen.queryByRole('img', { name: /eip-1/ })).toBeNull();
    await user.click(group);
    expect(screen.getByRole('img', { name: /aws_eip.nat \(eip-1\)/ })).toBeInTheDocument();
    fireEvent.keyDown(screen.getByRole('button', { name: /aws_eip/ }), { key: 'Enter' });
    expect(screen.queryByRole('img', { name: /eip-1/ })).toBeNull();
  });

  it('has groups that are not well open, and closes them, too', async () => {
    cleanup();
    forgetLiveLists();
    api.json(`${INFRASTRUCTURES}/demo/resources`, {
      resources: [{ address: 'aws_eip.nat', type: 'aws_eip', name: 'nat', id: 'eip-1', health: 'missing' }],
    });
    renderPage(clusterRoutes, '/clusters/team-a/demo/tree?view=graph');
    const group = await screen.findByRole('button', { name: /aws_eip/ });
    expect(group).toHaveAttribute('aria-expanded', 'true');
    await user.click(group);
    expect(screen.getByRole('button', { name: /failing.*aws_eip/ })).toHaveAttribute('aria-expanded', 'false');
  });

  it('is moved by the arrow keys and by dragging, for as long as the pointer is down', async () => {
    const { frame, placeNow } = await graph();
    const [, y] = /translate\(0 (\S+)\)/.exec(placeNow() ?? '') ?? [];
    fireEvent.keyDown(frame, { key: 'ArrowLeft' });
    expect(placeNow()).toBe(`translate(40 ${y}) scale(1)`);
    pointer(frame, 'move', 5);
    pointer(frame, 'down', 100);
    pointer(frame, 'move', 110);
    pointer(frame, 'move', 120);
    pointer(frame, 'up', 120);
    pointer(frame, 'move', 300);
    expect(placeNow()).toBe(`translate(60 ${y}) scale(1)`);
  });

  it('is seen nearer and further by two fingers, around what is between them', async () => {
    const { frame, placeNow } = await graph();
    const [, y] = /translate\(0 (\S+)\)/.exec(placeNow() ?? '') ?? [];
    pointer(frame, 'down', 100, 1);
    pointer(frame, 'down', 200, 2);
    pointer(frame, 'move', 300, 2);
    // What was at 150, in the middle of both, is now at 200, twice as large.
    expect(placeNow()).toBe(`translate(-100 ${Number(y) * 2}) scale(2)`);
    pointer(frame, 'move', 200, 1);
    expect(placeNow()).toMatch(/scale\(1\)$/);
  });

  it('is dragged on by the finger that stays, from where it is', async () => {
    const { frame, placeNow } = await graph();
    const [, y] = /translate\(0 (\S+)\)/.exec(placeNow() ?? '') ?? [];
    pointer(frame, 'down', 100, 1);
    pointer(frame, 'down', 200, 2);
    pointer(frame, 'up', 100, 1);
    pointer(frame, 'move', 110, 1);
    pointer(frame, 'move', 230, 2);
    expect(placeNow()).toBe(`translate(30 ${y}) scale(1)`);
  });

  it('is dragged by one finger after another one was never heard of again', async () => {
    const { frame, placeNow } = await graph();
    const [, y] = /translate\(0 (\S+)\)/.exec(placeNow() ?? '') ?? [];
    pointer(frame, 'down', 500, 2);
    pointer(frame, 'down', 100, 1);
    pointer(frame, 'move', 130, 1);
    expect(placeNow()).toBe(`translate(30 ${y}) scale(1)`);
  });

  it('is dragged by a group, too, which stays as it is', async () => {
    const { placeNow } = await graph();
    const before = placeNow();
    const group = await screen.findByRole('button', { name: /aws_eip/ });
    pointer(group, 'down', 100);
    pointer(group, 'move', 101);
    pointer(group, 'up', 101);
    fireEvent.click(group);
    expect(group).toHaveAttribute('aria-expanded', 'true');
    pointer(group, 'down', 100);
    pointer(group, 'move', 140);
    pointer(group, 'up', 140);
    fireEvent.click(group);
    expect(placeNow()).not.toBe(before);
    expect(screen.getByRole('button', { name: /aws_eip/ })).toHaveAttribute('aria-expanded', 'true');
  });

  it('is moved by single presses, too, half a frame at a time', async () => {
    const { frame, placeNow } = await graph();
    Object.defineProperties(frame, { clientWidth: { value: 800 }, clientHeight: { value: 600 } });
    const y = Number(/translate\(0 (\S+)\)/.exec(placeNow() ?? '')?.[1]);
    await user.click(screen.getByRole('button', { name: 'Right' }));
    await user.click(screen.getByRole('button', { name: 'Down' }));
    expect(placeNow()).toBe(`translate(-400 ${y - 300}) scale(1)`);
    await user.click(screen.getByRole('button', { name: 'Left' }));
    await user.click(screen.getByRole('button', { name: 'Up' }));
    expect(placeNow()).toBe(`translate(0 ${y}) scale(1)`);
  });

  it('is seen nearer and further, around the middle', async () => {
    const { frame, placeNow } = await graph();
    Object.defineProperties(frame, { clientWidth: { value: 800 }, clientHeight: { value: 600 } });
    fireEvent.keyDown(frame, { key: 'ArrowLeft' });
    await user.click(screen.getByRole('button', { name: 'Larger' }));
    expect(placeNow()).toMatch(/^translate\(-50 .* scale\(1.25\)$/);
    await user.click(screen.getByRole('button', { name: 'Smaller' }));
    await user.click(screen.getByRole('button', { name: 'Smaller' }));
    expect(placeNow()).toMatch(/scale\(0.8\)$/);
  });
});
