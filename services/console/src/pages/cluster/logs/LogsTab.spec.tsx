import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { forgetLiveLists } from '../../../api/use-live.js';
import { axeFindings } from '../../../testing/axe.js';
import { PlayedApi } from '../../../testing/played-api.js';
import { renderPage } from '../../../testing/render-page.js';
import { clusterRoutes } from '../routes.js';
import { aCluster } from '../testing/a-cluster.js';
import { user } from '../testing/user.js';
import { LOG_TIMES } from './log-time.js';

const api = new PlayedApi();
const CLUSTERS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters';
const LOG = [
  '2026-11-22T15:21:31.083000Z [terraform] === terraform apply, run a028b824-f106, generation 1',
  '2026-11-22T15:21:31.509000Z [terraform] aws_vpc.vpc: Creating...',
  '2026-11-22T15:21:33.000000Z [terraform] aws_vpc.vpc: Creation complete',
  '2026-11-22T15:21:47.383000Z [terraform] === run succeeded',
];

/** How many times the log was asked for. */
let asked: number;

/** Sends the log in pieces that end within a line. */
const logOf = (...pieces: readonly string[]): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    }),
  );

// Which lines are drawn depends on the height of the window, which this document has not.
describe('the log of a cluster', () => {
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(CLUSTERS, [aCluster()]);
    const played = globalThis.fetch;
    const text = `${LOG.join('\n')}\n`;
    asked = 0;
    globalThis.fetch = (input, init) => {
      if (!(input as string).startsWith(`${CLUSTERS}/demo/logs`)) return played(input, init);
      asked += 1;
      return Promise.resolve(logOf(text.slice(0, 100), text.slice(100)));
    };
  });
  afterEach(() => {
    api.remove();
  });

  it('is shown line by line, with its runs', async () => {
    const { container } = renderPage(clusterRoutes, '/clusters/team-a/demo/logs');
    expect(await screen.findByText('No run is under way. 4 lines.')).toBeVisible();
    expect(screen.getByRole('log')).toHaveAttribute('tabindex', '0');
    const moment = LOG_TIMES.momentOf('2026-11-22T15:21:31.083000Z');
    expect(screen.getByRole('option', { name: `${moment} · terraform apply · succeeded` })).toBeInTheDocument();
    expect(await axeFindings(container)).toEqual([]);
  });

  it.each([
    { reason: 'somebody drags it up', to: 100, isFollowing: false },
    { reason: 'it moves by less than a line', to: 590, isFollowing: true },
  ])('follows its end or not, as $reason', async ({ to, isFollowing }) => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/logs');
    const box = await screen.findByRole('log');
    Object.defineProperties(box, { scrollHeight: { value: 1_000 }, clientHeight: { value: 400 } });
    for (const top of [600, to]) {
      box.scrollTop = top;
      fireEvent.scroll(box);
    }
    expect(screen.getByRole<HTMLInputElement>('switch', { name: 'Follow' }).checked).toBe(isFollowing);
  });

  it('is looked at again when drift is to be put back', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/logs');
    await screen.findByText('No run is under way. 4 lines.');
    expect(asked).toBe(1);
    const watch = await api.watchOf(CLUSTERS);
    const annotations = { 'lifecycle.crate.dev/resolve-drift': 'correct-0123456789ab' };
    watch.send({ type: 'MODIFIED', object: aCluster({}, { metadata: { resourceVersion: '25', annotations } }) });
    await waitFor(() => expect(asked).toBe(2));
  });

  it('is searched, match after match, by the URL too', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/logs?q=AWS_VPC');
    expect(await screen.findByText('0 / 2')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Next match' }));
    expect(screen.getByText('1 / 2')).toBeVisible();
    expect(screen.getByText('Match 1: aws_vpc.vpc: Creating...')).toHaveAttribute('role', 'status');
    expect(screen.getByRole('switch', { name: 'Follow' })).not.toBeChecked();
    await user.click(screen.getByRole('button', { name: 'Next match' }));
    expect(screen.getByText('2 / 2')).toBeVisible();
  });

  it('goes back to its only match as often as somebody asks', async () => {
    renderPage(clusterRoutes, '/clusters/team-a/demo/logs?q=complete');
    expect(await screen.findByText('0 / 1')).toBeVisible();
    const next = screen.getByRole('button', { name: 'Next match' });
    await user.click(next);
    const moved = jest.spyOn(Element.prototype, 'scrollTo');
    await user.click(next);
    await waitFor(() => expect(moved).toHaveBeenCalled());
    moved.mockRestore();
  });

  it('says why nothing is known of it, and not that nothing was printed, until it is read', async () => {
    const answered = globalThis.fetch;
    globalThis.fetch = (input, init) =>
      (input as string).startsWith(`${CLUSTERS}/demo/logs`)
        ? Promise.resolve(Response.json({ kind: 'Status', code: 503, message: 'No replica is ready' }, { status: 503 }))
        : answered(input, init);
    renderPage(clusterRoutes, '/clusters/team-a/demo/logs');
    expect(await screen.findByText('No replica is ready')).toBeVisible();
    expect(screen.getByText('Reconnecting…')).toBeVisible();
    expect(screen.queryByText('Nothing was printed yet')).toBeNull();
    expect(screen.queryByText(/0 lines/)).toBeNull();
    globalThis.fetch = answered;
    expect(await screen.findByText('No run is under way. 4 lines.')).toBeVisible();
  });

  it('keeps what was read when it may be read no more, and says why it stands still', async () => {
    const played = globalThis.fetch;
    const refused = Response.json({ kind: 'Status', code: 403, message: 'Not for you' }, { status: 403 });
    const start = (stream: ReadableStreamDefaultController<Uint8Array>): void =>
      stream.enqueue(new TextEncoder().encode(`${LOG.join('\n')}\n`));
    const pull = (stream: ReadableStreamDefaultController<Uint8Array>): void => stream.error(new TypeError('lost'));
    const answers = [new Response(new ReadableStream<Uint8Array>({ start, pull })), refused];
    globalThis.fetch = (input, init) =>
      (input as string).startsWith(`${CLUSTERS}/demo/logs`)
        ? Promise.resolve(answers.shift() as Response)
        : played(input, init);
    renderPage(clusterRoutes, '/clusters/team-a/demo/logs');
    expect(await screen.findByText('Not for you')).toBeVisible();
    expect(screen.getByText('4 lines.')).toBeVisible();
    expect(screen.getByRole('log')).toBeInTheDocument();
  });

  it('is read when somebody tries again after what does not pass by itself', async () => {
    const answered = globalThis.fetch;
    globalThis.fetch = (input, init) =>
      (input as string).startsWith(`${CLUSTERS}/demo/logs`)
        ? Promise.resolve(Response.json({ kind: 'Status', code: 400, message: 'Not so' }, { status: 400 }))
        : answered(input, init);
    renderPage(clusterRoutes, '/clusters/team-a/demo/logs');
    const again = await screen.findByRole('button', { name: 'Try again' });
    globalThis.fetch = answered;
    await user.click(again);
    expect(await screen.findByText('No run is under way. 4 lines.')).toBeVisible();
  });
});
