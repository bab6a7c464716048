import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NotificationDelivery } from '@crate/api';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser, small } from '../crate-user.js';
import { Receivers } from './receivers.js';

const API = { apiVersion: 'lifecycle.crate.dev/v1alpha1' } as const;
const SLACK_PATH = '/services/T000/B000/only-members-know-this-path';
/** What the cloud says; which machine it says it of differs. */
const CAUSE = 'InstanceLimitExceeded';
const PATIENCE = { timeoutMs: 120_000 };

let receivers: Receivers;
let platform: CratePlatform;
let user: CrateUser;
beforeAll(async () => {
  receivers = await Receivers.start();
  platform = await CratePlatform.start({
    settings: {
      CRATE_SMTP_URL: receivers.smtpUrl,
      CRATE_SMTP_FROM: 'crate@example.org',
      CRATE_CONSOLE_URL: 'https://crate.example.org',
      // A failing cluster fails again and again: each channel is told once.
      CRATE_NOTIFICATION_REPEAT_MS: '1h',
    },
  });
  user = await CrateUser.of(platform);
  await user.apply({ ...API, kind: 'Project', metadata: { name: 'team-a' } });
  await platform.crate(
    'sandbox',
    'fault',
    'set',
    'trouble',
    '--kind',
    'quota',
    '--type',
    'aws_instance',
    '--limit',
    '2',
  );
});
afterAll(async () => {
  await platform?.remove();
  await receivers?.stop();
});

async function channel(name: string, spec: object): Promise<void> {
  const reasons = ['QuotaExceeded'];
  const metadata = { name, namespace: 'team-a' };
  await user.apply({ ...API, kind: 'NotificationChannel', metadata, spec: { ...spec, match: { reasons } } });
}

async function deliveries(name: string): Promise<readonly NotificationDelivery[]> {
  const output = await platform.crate('notifications', 'deliveries', name, '-n', 'team-a', '-o', 'json');
  return JSON.parse(output) as NotificationDelivery[];
}

describe('a Cluster that fails', () => {
  it('is told by webhook, to Slack and by e-mail, with the cause, what to do, and where to look', async () => {
    await channel('hook', { type: 'webhook', webhook: { url: `${receivers.url}/hook`, secret: 'a-signing-secret' } });
    await channel('chat', { type: 'slack', slack: { url: `${receivers.url}${SLACK_PATH}` } });
    await channel('post', { type: 'email', email: { to: ['ada@example.org'] } });
    await user.applyQuickstart('demo', small);
    const { status } = await user.until('demo', (cluster) => cluster.status?.failure?.code === 'QuotaExceeded');
    const remedy = status?.failure?.remedy;
    expect(remedy).toEqual(expect.stringMatching(/.{10}/));

    await eventually(async () => {
      const arrived = [receivers.at('/hook'), receivers.at(SLACK_PATH), receivers.mails];
      expect(arrived.every(({ length }) => length > 0)).toBe(true);
    }, PATIENCE);
    const link = 'https://crate.example.org/console/clusters/team-a/demo';
    const [event] = receivers.at('/hook');
    expect(event?.headers).toMatchObject({
      'webhook-id': event?.body['id'],
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(event?.body).toMatchObject({
      type: 'dev.crate.cluster.QuotaExceeded',
      subject: 'cluster/demo',
      data: {
        message: expect.stringContaining(CAUSE),
        whatToDo: remedy,
        severity: 'Warning',
        cluster: { name: 'demo' },
        link,
      },
    });
    expect(JSON.stringify(receivers.at(SLACK_PATH).map(({ body }) => body))).toContain(CAUSE);
    expect(JSON.stringify(receivers.at(SLACK_PATH).map(({ body }) => body))).toContain(link);
    // Lines of mail are folded.
    expect(receivers.mails[0]?.replaceAll(/=\r\n/g, '')).toContain(CAUSE);
  });

  it('is shown with its delivery, and nothing shows the secrets', async () => {
    for (const name of ['hook', 'chat', 'post']) {
      await eventually(
        async () => expect(await deliveries(name)).toContainEqual(expect.objectContaining({ state: 'Delivered' })),
        PATIENCE,
      );
    }
    const all = await platform.crate('get', 'nc', '-n', 'team-a', '-o', 'json');
    const list = await eventually(async () => {
      const text = await platform.crate('notifications', 'list', '-n', 'team-a');
      expect(text).toMatch(/hook +webhook +Critical,Warning +True +\d +0/);
      return text;
    }, PATIENCE);
    for (const text of [all, list, await platform.crate('audit', 'export')]) {
      expect(text).toContain('hook');
      expect(text).not.toContain('only-members-know-this-path');
      expect(text).not.toContain('a-signing-secret');
    }
    expect(await platform.crate('notifications', 'test', 'post', '-n', 'team-a')).toMatch(/^Delivered/);
    await eventually(async () => expect(receivers.mails.at(-1)).toContain('This is a test'), PATIENCE);
  });

  it('is told again under the same id when the service dies before it heard the answer', async () => {
    receivers.hanging = '/late';
    await channel('late', { type: 'webhook', webhook: { url: `${receivers.url}/late` } });
    // It is looked at, and fails, once more.
    await user.applyDemo('demo', (spec) =>
      Object.assign(spec, {
        controlPlane: { replicas: 1, machineType: 'm5.large' },
        nodePools: [{ name: 'workers', replicas: 5, machineType: 'm5.xlarge' }],
      }),
    );
    await eventually(async () => expect(receivers.at('/late')).toHaveLength(1), PATIENCE);
    const { lifecycle } = await platform.processes();
    process.kill(lifecycle?.pid ?? 0, 'SIGKILL');
    receivers.hanging = undefined;

    await eventually(async () => expect(receivers.at('/late')).toHaveLength(2), PATIENCE);
    const [first, second] = receivers.at('/late').map(({ body }) => body);
    expect(second).toEqual(first);
    // It goes on failing, which is the next message.
    await eventually(async () => {
      const all = await deliveries('late');
      const told = all.find(({ id }) => id === first?.['id']);
      expect(told).toMatchObject({ state: 'Delivered', attempts: [{ outcome: 'Unknown' }, { outcome: 'Delivered' }] });
    }, PATIENCE);
  });
});
