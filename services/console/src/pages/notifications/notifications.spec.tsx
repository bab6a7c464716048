import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import type { NotificationChannel } from '@crate/api';
import { forgetLiveLists } from '../../api/use-live.js';
import { axeFindings } from '../../testing/axe.js';
import { PlayedApi } from '../../testing/played-api.js';
import { renderPage } from '../../testing/render-page.js';
import { user } from '../cluster/testing/user.js';
import { notificationRoutes } from './routes.js';
import { aChannel, aDelivery } from './testing/a-channel.js';

const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';
const CHANNELS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/notificationchannels';
const ALERTS = `${CHANNELS}/alerts`;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const api = new PlayedApi();

/** Bodies of a call, in the order they were sent. */
function sent(call: string): readonly unknown[] {
  const found = api.calls.filter((each) => each.call === call);
  return found.map(({ body }) => (typeof body === 'string' ? JSON.parse(body) : undefined) as unknown);
}

async function openDialog(button: string): Promise<HTMLElement> {
  await user.click(await screen.findByRole('button', { name: button }));
  return screen.findByRole('dialog');
}

async function openChannel(channel: NotificationChannel): Promise<HTMLElement> {
  api.list(CHANNELS, [channel]);
  const { container } = renderPage(notificationRoutes, '/notifications/team-a/alerts');
  await screen.findByRole('heading', { name: 'The channel' });
  return container;
}

beforeEach(() => {
  forgetLiveLists();
  api.install();
  api.list(PROJECTS, [{ metadata: { name: 'team-a' } }]);
  api.list(CHANNELS, []);
  api.json(`${ALERTS}/deliveries`, { items: [] });
  api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
});
afterEach(() => api.remove());

describe('channels of a Project', () => {
  it('are listed with where they send to and why one fails', async () => {
    const failing = aChannel({ failing: 'The receiver answered 503' });
    const slack = aChannel({ name: 'chat', spec: { type: 'slack', slack: {} } });
    api.list(CHANNELS, [slack, failing]);
    const { container } = renderPage(notificationRoutes, '/notifications');
    const alerts = await screen.findByRole('row', { name: /^alerts Webhook/ });
    expect(alerts).toHaveTextContent('https://hooks.example.org/crate');
    // Nowhere else may it go on in the next line.
    const parts = alerts.querySelector('.crate-name')?.innerHTML.split('<wbr>');
    expect(parts).toEqual(['https://', 'hooks.', 'example.', 'org/', 'crate']);
    expect(alerts).toHaveTextContent('Failing The receiver answered 503');
    expect(screen.getByRole('row', { name: /^chat Slack.*Its address is a secret.*Delivering/ })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('say so when there is none', async () => {
    const { container } = renderPage(notificationRoutes, '/notifications?project=team-a');
    expect(await screen.findByRole('heading', { name: 'Nobody is told of anything yet' })).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('say so when somebody may not see them', async () => {
    api.refuse(CHANNELS, 403, { reason: 'Forbidden', message: 'mallory may not list channels' });
    renderPage(notificationRoutes, '/notifications?project=team-a');
    expect(await screen.findByRole('heading', { name: 'You may not see this' })).toBeVisible();
    expect(screen.getByText('mallory may not list channels')).toBeVisible();
  });

  it('cannot be added by who may not', async () => {
    api.json(REVIEWS, { status: { allowed: false } }, { method: 'POST' });
    renderPage(notificationRoutes, '/notifications?project=team-a');
    const button = await screen.findByRole('button', { name: 'Add channel' });
    await waitFor(() => expect(button).toHaveAttribute('aria-disabled', 'true'));
    await user.click(button);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('are made by a form, with secrets that are typed unseen', async () => {
    api.json(CHANNELS, {}, { method: 'POST' });
    renderPage(notificationRoutes, '/notifications?project=team-a');
    const dialog = await openDialog('Add channel');
    const fill = async (label: RegExp, text: string): Promise<void> => {
      await user.click(within(dialog).getByLabelText(label));
      await user.paste(text);
    };
    expect(within(dialog).getByRole('button', { name: 'Add' })).toBeDisabled();
    await fill(/^Name/, 'alerts');
    await fill(/^URL/, 'https://hooks.example.org/crate');
    await user.click(within(dialog).getByRole('button', { name: 'Add header' }));
    await fill(/Name of header 1/, 'Authorization');
    await fill(/Value of header 1/, 's3cret');
    expect(within(dialog).getByLabelText(/Value of header 1/)).toHaveAttribute('type', 'password');
    await user.click(within(dialog).getByRole('checkbox', { name: 'Info' }));
    await user.click(within(dialog).getByRole('checkbox', { name: 'Warning' }));
    await fill(/^Reasons/, 'QuotaExceeded\nNotReady');
    await fill(/^Labels of the Cluster/, 'stage=production');
    expect(await axeFindings(dialog)).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Add' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`POST ${CHANNELS}`).at(-1)).toEqual({
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'NotificationChannel',
      metadata: { name: 'alerts', namespace: 'team-a' },
      spec: {
        type: 'webhook',
        webhook: {
          url: 'https://hooks.example.org/crate',
          headers: [{ name: 'Authorization', value: 's3cret' }],
        },
        severities: ['Critical', 'Info'],
        match: {
          reasons: ['QuotaExceeded', 'NotReady'],
          clusterSelector: { matchLabels: { stage: 'production' } },
        },
      },
    });
  });

  it("say what is wrong at its field, in the server's words, before anything is sent", async () => {
    const message = 'must be at a public address';
    api.json(
      CHANNELS,
      { kind: 'Status', code: 422, message: 'no', details: { causes: [{ field: 'spec.webhook.url', message }] } },
      { method: 'POST', status: 422 },
    );
    renderPage(notificationRoutes, '/notifications?project=team-a');
    const dialog = await openDialog('Add channel');
    await user.type(within(dialog).getByLabelText(/^Name/), 'alerts');
    await user.type(within(dialog).getByLabelText(/^URL/), 'https://10.0.0.1/');
    expect(await within(dialog).findByText(message)).toBeVisible();
    expect(within(dialog).getByLabelText(/^URL/)).toHaveAccessibleDescription(new RegExp(message));
    expect(await axeFindings(dialog)).toEqual([]);
  });

  it('say of a name that it is taken', async () => {
    api.refuse(CHANNELS, 409, { reason: 'AlreadyExists', message: 'alerts exists already' }, 'POST');
    renderPage(notificationRoutes, '/notifications?project=team-a');
    const dialog = await openDialog('Add channel');
    await user.type(within(dialog).getByLabelText(/^Name/), 'alerts');
    await waitFor(() =>
      expect(within(dialog).getByLabelText(/^Name/)).toHaveAccessibleDescription(/alerts exists already/),
    );
  });
});

describe('a channel', () => {
  it('is changed for what was read, and keeps secrets that nobody stated', async () => {
    const before = aChannel({ spec: { headers: [{ name: 'Authorization' }] } });
    api.json(ALERTS, {}, { method: 'PATCH' });
    await openChannel(before);
    const dialog = await openDialog('Edit');
    const url = within(dialog).getByLabelText(/^URL/);
    await user.clear(url);
    await user.type(url, 'https://hooks.example.org/other');
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const webhook = { url: 'https://hooks.example.org/other', headers: [{ name: 'Authorization' }] };
    expect(sent(`PATCH ${ALERTS}`).at(-1)).toEqual([
      { op: 'test', path: '/spec', value: before.spec },
      { op: 'replace', path: '/spec', value: { ...before.spec, webhook } },
    ]);
  });

  it('signs no more when that is asked for, and goes on when it is not', async () => {
    api.json(ALERTS, {}, { method: 'PATCH' });
    await openChannel(aChannel());
    const dialog = await openDialog('Edit');
    await user.click(within(dialog).getByRole('checkbox', { name: 'Sign no more' }));
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PATCH ${ALERTS}`).at(-1)).toMatchObject([{}, { value: { webhook: { secret: '' } } }]);
  });

  it('sends a test, and says why it did not arrive', async () => {
    const attempt = { attempt: 1, at: '2026-01-01T00:00:00Z', outcome: 'Failed', httpStatus: 403, detail: 'Go away' };
    api.json(`${ALERTS}/test`, { id: '1', attempt }, { method: 'POST' });
    const container = await openChannel(aChannel());
    await user.click(screen.getByRole('button', { name: 'Send a test' }));
    expect(await screen.findByRole('heading', { name: /The test did not arrive/ })).toBeVisible();
    expect(screen.getByText(/HTTP 403 · Go away/)).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('says why no test can be sent', async () => {
    const message = 'No mail server is configured';
    api.refuse(`${ALERTS}/test`, 409, { reason: 'SmtpNotConfigured', message }, 'POST');
    await openChannel(aChannel());
    await user.click(screen.getByRole('button', { name: 'Send a test' }));
    expect(await screen.findByText(message)).toBeVisible();
  });

  it('says nothing more of a test once it is another channel than was tested', async () => {
    const attempt = { attempt: 1, at: '2026-01-01T00:00:00Z', outcome: 'Delivered', httpStatus: 200 };
    api.json(`${ALERTS}/test`, { id: '1', attempt }, { method: 'POST' });
    await openChannel(aChannel({ generation: 1 }));
    await user.click(screen.getByRole('button', { name: 'Send a test' }));
    await screen.findByRole('heading', { name: /The test arrived/ });
    const watch = await api.watchOf(CHANNELS);
    watch.send({ type: 'MODIFIED', object: aChannel({ resourceVersion: '2', generation: 1, failing: 'Busy' }) });
    await screen.findByText(/Busy/);
    expect(screen.getByRole('heading', { name: /The test arrived/ })).toBeVisible();
    watch.send({ type: 'MODIFIED', object: aChannel({ resourceVersion: '3', generation: 2 }) });
    await waitFor(() => expect(screen.queryByRole('heading', { name: /The test arrived/ })).toBeNull());
  });

  it('says nothing more of a test that failed once something else was done', async () => {
    const message = 'No mail server is configured';
    api.refuse(`${ALERTS}/test`, 409, { reason: 'SmtpNotConfigured', message }, 'POST');
    api.refuse(ALERTS, 403, { reason: 'Forbidden', message: 'not for you' }, 'PATCH');
    await openChannel(aChannel());
    await user.click(screen.getByRole('button', { name: 'Send a test' }));
    await screen.findByText(message);
    await user.click(screen.getByRole('button', { name: 'Pause' }));
    expect(await screen.findByText('not for you')).toBeVisible();
    expect(screen.queryByText(message)).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Send a test' }));
    expect(await screen.findByText(message)).toBeVisible();
    expect(screen.queryByText('not for you')).toBeNull();
  });

  it.each([
    { given: false, button: 'Pause', want: true },
    { given: true, button: 'Go on', want: false },
  ])('that is paused: $given has a button "$button"', async ({ given, button, want }) => {
    api.json(ALERTS, {}, { method: 'PATCH' });
    await openChannel(aChannel({ paused: given }));
    await user.click(screen.getByRole('button', { name: button }));
    await waitFor(() => expect(sent(`PATCH ${ALERTS}`)).toEqual([{ spec: { paused: want } }]));
  });

  it('is removed as it was shown, and no other of its name', async () => {
    api.json(ALERTS, {}, { method: 'DELETE' });
    await openChannel(aChannel());
    const dialog = await openDialog('Remove');
    await user.click(within(dialog).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(sent(`DELETE ${ALERTS}`)).toEqual([{ preconditions: { uid: 'c1' } }]));
  });

  it('has a page that says so when there is none of the name', async () => {
    renderPage(notificationRoutes, '/notifications/team-a/none');
    expect(await screen.findByRole('heading', { name: 'There is no channel none in team-a' })).toBeVisible();
  });
});

describe('the delivery log', () => {
  it('tells each message, why it failed, and every attempt', async () => {
    api.json(`${ALERTS}/deliveries`, { items: [aDelivery()] });
    const container = await openChannel(aChannel());
    const row = await screen.findByRole('row', { name: /Critical Cluster\/demo NotReady \(3 times\)/ });
    expect(row).toHaveTextContent('Failed No such receiver');
    await user.click(within(row).getByRole('button', { name: '2 attempts' }));
    expect(within(row).getByText(/did not arrive · HTTP 503 · 12 ms · Busy/)).toBeVisible();
    expect(within(row).getByText(/not tried again · HTTP 410/)).toBeVisible();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('is asked for by outcome', async () => {
    const asked: (string | null)[] = [];
    api.answer(`${ALERTS}/deliveries`, (query) => {
      asked.push(query.get('state'));
      return { items: query.get('state') === 'Failed' ? [] : [aDelivery()] };
    });
    await openChannel(aChannel());
    await screen.findByRole('row', { name: /NotReady/ });
    await user.selectOptions(screen.getByRole('combobox', { name: 'What became of it' }), 'Failed');
    expect(await screen.findByRole('heading', { name: 'No message stands so' })).toBeVisible();
    // Each more than once where that took long: it asks again every few seconds.
    expect([...new Set(asked)]).toEqual([null, 'Failed']);
  });

  it('is asked again as soon as the channel says that something changed', async () => {
    await openChannel(aChannel());
    expect(await screen.findByRole('heading', { name: 'Nothing was sent yet' })).toBeVisible();
    api.json(`${ALERTS}/deliveries`, { items: [aDelivery()] });
    const watch = await api.watchOf(CHANNELS);
    watch.send({ type: 'MODIFIED', object: aChannel({ resourceVersion: '2' }) });
    expect(await screen.findByRole('row', { name: /NotReady/ })).toBeVisible();
  });

  it('stays as it was read, under why it may be old, when it cannot be read anew', async () => {
    api.json(`${ALERTS}/deliveries`, { items: [aDelivery()] });
    await openChannel(aChannel());
    await screen.findByRole('row', { name: /NotReady/ });
    api.refuse(`${ALERTS}/deliveries`, 403, { reason: 'Forbidden', message: 'not for you' });
    const watch = await api.watchOf(CHANNELS);
    watch.send({ type: 'MODIFIED', object: aChannel({ resourceVersion: '2' }) });
    expect(await screen.findByText('not for you')).toBeVisible();
    expect(screen.getByRole('row', { name: /NotReady/ })).toBeVisible();
    await user.selectOptions(screen.getByRole('combobox', { name: 'What became of it' }), 'Failed');
    await waitFor(() => expect(screen.queryByRole('row', { name: /NotReady/ })).toBeNull());
    expect(screen.getByText('not for you')).toBeVisible();
  });

  it('says why it cannot be shown', async () => {
    api.refuse(`${ALERTS}/deliveries`, 403, { reason: 'Forbidden', message: 'not for you' });
    await openChannel(aChannel());
    expect(await screen.findByText('not for you')).toBeVisible();
  });
});
