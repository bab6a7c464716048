import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CLOUD_ACCOUNT,
  KUBERNETES_CLUSTER,
  POLICY,
  type KubeObject,
  type NotificationChannel,
  type NotificationDelivery,
} from '@crate/api';
import { PLATFORM_ADMIN_GROUP } from '@crate/auth';
import { eventually, TestAuthority } from '@crate/testing';
import { notificationConfig, smtpConfig } from './notification/notification-config.js';
import { MailServer } from './notification/testing/mail-server.js';
import { Receiver, type Received } from './notification/testing/receiver.js';
import type { ApiAnswer } from './testing/api-call.js';
import { PlatformBench } from './testing/platform-bench.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';
const SECRET = 'a-signing-secret-of-the-channel';
const TOKEN = 'Bearer a-value-of-the-channel';
const SLACK_PATH = '/services/T000/B000/a-path-that-nobody-may-see';
const FAILURE = 'The quota of machines is spent; what to do: Ask for a higher quota';

let bench: PlatformBench;
let admin: string;
let member: string;
let directory: string;
let receiver: Receiver;
let mail: MailServer;
let project: string;
let count = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-notifications-'));
  const authority = await TestAuthority.create(directory);
  receiver = await Receiver.start(await authority.issue('receiver'));
  mail = await MailServer.start();
  bench = await PlatformBench.start();
  admin = bench.tokenFor(PLATFORM_ADMIN_GROUP);
  member = bench.tokenOf('vera', []);
  const notification = notificationConfig.parse({
    allowedNetworks: ['127.0.0.0/8'],
    caFile: authority.certificateFile,
    timeoutMs: 30_000,
    retryMs: 20,
    longestRetryMs: 200,
    repeatMs: 0,
  });
  const settings = {
    notification,
    smtp: smtpConfig.parse({ url: mail.url, from: 'crate@example.org' }),
    console: { sessionMs: 3_600_000, url: 'https://crate.example.org' },
  };
  await bench.startLifecycle(settings);
  await bench.startLifecycle({ ...settings, api: bench.apiConfig({}, 0) });
  await bench.startNeighbour('policy-mgmt', { kinds: [{ definition: POLICY }] });
  await bench.startNeighbour('cluster-mgmt', { kinds: [{ definition: KUBERNETES_CLUSTER }] });
  await bench.startNeighbour('cloud-mgmt', { kinds: [{ definition: CLOUD_ACCOUNT }] });
});
afterAll(async () => {
  await bench?.close();
  await receiver?.stop();
  await mail?.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  count += 1;
  project = `team-${count}`;
  receiver.received.splice(0);
  receiver.answers = [{ status: 200 }];
  mail.mails.splice(0);
  await makeProject();
});
afterEach(async () => call('DELETE', `${LIFECYCLE}/projects/${project}`));

async function call(method: string, path: string, body?: object, token = admin): Promise<ApiAnswer> {
  return bench.call({ method, path, token, ...(body ? { body } : {}) });
}

async function makeProject(): Promise<void> {
  const members = [{ kind: 'User', name: 'vera', role: 'viewer' }];
  const body = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name: project } };
  expect((await call('POST', `${LIFECYCLE}/projects`, { ...body, spec: { members } })).status).toBe(201);
}

function path(name = '', sub = ''): string {
  const collection = `${LIFECYCLE}/namespaces/${project}/notificationchannels`;
  return [collection, name, sub].filter((part) => part !== '').join('/');
}

async function make(spec: object, name = 'alerts'): Promise<ApiAnswer> {
  const body = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'NotificationChannel', metadata: { name }, spec };
  return call('POST', path(), body);
}

function webhook(more: object = {}): object {
  const headers = [{ name: 'Authorization', value: TOKEN }];
  return { type: 'webhook', webhook: { url: `${receiver.url}/hook`, secret: SECRET, headers }, ...more };
}

/** What lifecycle tells of a Cluster of the Project, as its reconciler does. */
function tell(reason = 'QuotaExceeded', name = 'demo'): void {
  const about = {
    apiVersion: 'lifecycle.crate.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: project, uid: `uid-of-${project}-${name}`, resourceVersion: '1' },
  } as KubeObject;
  const { recorder } = bench.hostOf('lifecycle').foundation.events;
  recorder.record(about, { type: 'Warning', reason, message: FAILURE, traceId: 'trace-1' });
}

async function made(...specs: readonly (readonly [string, object])[]): Promise<void> {
  for (const [name, spec] of specs) expect((await make(spec, name)).status).toBe(201);
}

async function deliveries(name = 'alerts', token = admin): Promise<readonly NotificationDelivery[]> {
  const { status, body } = await call('GET', path(name, 'deliveries'), undefined, token);
  expect(status).toBe(200);
  return body['items'] as NotificationDelivery[];
}

async function channel(name = 'alerts', token = admin): Promise<NotificationChannel> {
  return (await call('GET', path(name), undefined, token)).body as unknown as NotificationChannel;
}

/** To write it back whatever was written since: the status of a channel is, at any time. */
function atAnyVersion({ metadata, ...rest }: NotificationChannel) {
  const { resourceVersion: _, ...others } = metadata;
  return { ...rest, metadata: others };
}

async function untilReceived(number: number): Promise<void> {
  await eventually(async () => expect(receiver.received.length).toBeGreaterThanOrEqual(number));
}

function idsReceived(): readonly unknown[] {
  return receiver.bodies('/hook').map((event) => event['id']);
}

describe('a failure of a Cluster', () => {
  it('reaches a webhook, Slack and e-mail once each, with the cause in words, whichever replica sees it', async () => {
    const slack = { type: 'slack', slack: { url: `${receiver.url}${SLACK_PATH}` } };
    const email = { type: 'email', email: { to: ['ada@example.org'] } };
    await made(['alerts', webhook()], ['chat', slack], ['post', email]);
    tell();
    await untilReceived(2);
    await eventually(async () => expect(mail.mails).toHaveLength(1));

    const [event] = receiver.bodies('/hook');
    expect(event).toMatchObject({
      specversion: '1.0',
      type: 'dev.crate.cluster.QuotaExceeded',
      data: {
        message: 'The quota of machines is spent',
        whatToDo: 'Ask for a higher quota',
        link: `https://crate.example.org/console/clusters/${project}/demo`,
      },
    });
    expect(receiver.bodies(SLACK_PATH)).toMatchObject([
      { text: expect.stringContaining('quota of machines is spent') },
    ]);
    expect(mail.mails[0]?.source).toContain('quota of machines is spent');
    for (const name of ['alerts', 'chat', 'post']) {
      await eventually(async () =>
        expect(await deliveries(name)).toMatchObject([{ state: 'Delivered', attempts: [{ outcome: 'Delivered' }] }]),
      );
    }
    expect(receiver.received).toHaveLength(2);
  });

  it('is signed, so that the receiver knows from whom it is', async () => {
    await made(['alerts', webhook()]);
    tell();
    await untilReceived(1);
    const { headers, body } = receiver.received[0] as Received;
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const want = createHmac('sha256', SECRET).update(signed).digest('base64');
    expect(headers).toMatchObject({ authorization: TOKEN, 'webhook-signature': `v1,${want}` });
    expect(headers['webhook-id']).toBe((JSON.parse(body) as { id: string }).id);
  });

  it('is sent again under the same id until the receiver takes it', async () => {
    receiver.answers = [{ status: 500 }, 'cut', { status: 429, headers: { 'retry-after': '0' } }, { status: 200 }];
    await made(['alerts', webhook()]);
    tell();
    await untilReceived(4);
    expect(new Set(idsReceived()).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    await eventually(async () => expect((await deliveries())[0]?.state).toBe('Delivered'));
    const [{ attempts } = { attempts: [] }] = await deliveries();
    expect(attempts.map(({ outcome, httpStatus }) => [outcome, httpStatus])).toEqual([
      ...[
        ['Retry', 500],
        ['Retry', undefined],
        ['Retry', 429],
        ['Delivered', 200],
      ],
    ]);
  });

  it('is given up when the receiver says that it will not have it, and the channel says so', async () => {
    receiver.answers = [{ status: 410, text: `We do not know ${TOKEN}` }];
    await made(['alerts', webhook()]);
    tell();
    await eventually(async () => expect((await deliveries())[0]?.state).toBe('Failed'));
    await eventually(async () =>
      expect((await channel()).status).toMatchObject({
        failed: 1,
        pending: 0,
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'Delivering', status: 'False', message: expect.stringContaining('410') }),
        ]),
      }),
    );
    expect(receiver.received).toHaveLength(1);
    expect(JSON.stringify([await deliveries(), await channel()])).not.toContain('a-value-of-the-channel');
  });

  it('is nothing to a channel that asks for something else, or is paused', async () => {
    await made(
      ['bad', webhook({ severities: ['Critical'] })],
      ['off', webhook({ paused: true })],
      ['alerts', webhook()],
    );
    tell();
    tell('StateTampered', 'other');
    await untilReceived(3);
    await eventually(async () => expect(await deliveries('bad')).toMatchObject([{ reason: 'StateTampered' }]));
    expect(await deliveries('off')).toEqual([]);
  });
});

describe('secrets of a channel', () => {
  it('are never shown, logged or told, and stay when a document does not state them again', async () => {
    const first = await make(webhook());
    const shown = first.body as unknown as NotificationChannel;
    expect(shown.spec).toMatchObject({
      webhook: { url: `${receiver.url}/hook`, headers: [{ name: 'Authorization' }] },
      secretsFingerprint: expect.any(String),
    });
    const put = await call('PUT', path('alerts'), {
      ...atAnyVersion(shown),
      spec: { ...shown.spec, severities: ['Warning'] },
    });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ spec: { secretsFingerprint: shown.spec.secretsFingerprint } });
    tell();
    await untilReceived(1);
    expect(receiver.received[0]?.headers).toMatchObject({
      authorization: TOKEN,
      'webhook-signature': expect.any(String),
    });

    const audit = await call('GET', `${LIFECYCLE}/namespaces/${project}/auditevents`);
    expect(audit.status).toBe(200);
    const said = JSON.stringify([first.body, put.body, audit.body, await deliveries(), bench.logger.lines]);
    expect(JSON.stringify(audit.body)).toContain('alerts');
    for (const secret of [SECRET, 'a-value-of-the-channel']) expect(said).not.toContain(secret);
  });

  it('are not taken along to another server, and are asked for', async () => {
    await made(['alerts', webhook()]);
    const { spec, ...rest } = atAnyVersion(await channel());
    const moved = { ...rest, spec: { ...spec, webhook: { ...spec.webhook, url: 'https://other.example.org/hook' } } };
    const { status, body } = await call('PUT', path('alerts'), moved);
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'spec.webhook.headers[0].value' }] } },
    });
    const slack = await make({ type: 'slack', slack: {} }, 'chat');
    expect(slack).toMatchObject({ status: 422, body: { details: { causes: [{ field: 'spec.slack.url' }] } } });
  });

  it('go nowhere that is private: the write is refused', async () => {
    const { status, body } = await make({ type: 'webhook', webhook: { url: 'https://169.254.169.254/latest' } });
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'spec.webhook.url' }] } },
    });
  });
});

describe('a test of a channel', () => {
  it('sends a message now and says what came of it, for administrators of the Project', async () => {
    await made(['alerts', webhook()]);
    const { status, body } = await call('POST', path('alerts', 'test'), {});
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { attempt: { outcome: 'Delivered', httpStatus: 200 } },
    });
    expect(receiver.bodies('/hook')).toMatchObject([{ type: 'dev.crate.notificationchannel.Test', id: body['id'] }]);
    expect(await deliveries('alerts', member)).toMatchObject([{ id: body['id'], reason: 'Test', state: 'Delivered' }]);

    receiver.answers = [{ status: 404, text: 'no such hook' }];
    const failed = await call('POST', path('alerts', 'test'), {});
    expect(failed.body).toMatchObject({
      attempt: { outcome: 'Failed', detail: expect.stringContaining('no such hook') },
    });
    expect((await call('POST', path('alerts', 'test'), {}, member)).status).toBe(403);
    expect((await call('PUT', path('alerts'), { ...(await channel()) }, member)).status).toBe(403);
  });
});

describe('a channel that is deleted', () => {
  it('takes everything along with its Project: one of the same names begins with nothing', async () => {
    receiver.answers = [{ status: 503 }];
    await made(['alerts', webhook()]);
    tell();
    await untilReceived(1);
    expect((await call('DELETE', `${LIFECYCLE}/projects/${project}`)).status).toBe(200);
    await eventually(async () => expect((await call('GET', `${LIFECYCLE}/projects/${project}`)).status).toBe(404));
    const { database } = bench.hostOf('lifecycle').foundation;
    const kept = [
      `SELECT id FROM notification_messages WHERE project = '${project}'`,
      `SELECT project FROM notification_standings WHERE project = '${project}'`,
      `SELECT serial FROM secret_versions WHERE owner_uid = 'notificationchannel/${project}/alerts'`,
    ];
    // The Project does not wait for what it owns: its channels go after it.
    await eventually(async () => {
      for (const rows of kept) expect(await database.rowsOnce(rows)).toEqual([]);
      expect((await call('GET', path('alerts'))).status).toBe(404);
    });

    receiver.answers = [{ status: 200 }];
    await makeProject();
    await made(['alerts', webhook({ webhook: { url: `${receiver.url}/new` } })]);
    const { status } = await call('POST', path('alerts', 'test'), {});
    expect(status).toBe(201);
    expect(await deliveries()).toMatchObject([{ reason: 'Test' }]);
    expect(receiver.bodies('/new')).toHaveLength(1);
  });
});
