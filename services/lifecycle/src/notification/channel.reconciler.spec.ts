import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  apiVersionOf,
  findCondition,
  NOTIFICATION_CHANNEL,
  PROJECT,
  type Condition,
  type NotificationChannel,
  type Project,
} from '@crate/api';
import { PlatformError } from '@crate/errors';
import { InMemoryEventRecorder, type Outcome as PassOutcome, type ReconcileContext } from '@crate/reconcile';
import { TypedClient } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemorySecretStore } from '@crate/secrets';
import { InMemoryMetrics } from '@crate/telemetry';
import { channelAdmission } from './channel.admission.js';
import { ChannelReconciler } from './channel.reconciler.js';
import { ChannelSecretStore } from './channel-secrets.js';
import { ChannelSender } from './channel-sender.js';
import { AddressGuard } from './delivery/address-guard.js';
import { Deliverer, type Delivery } from './delivery/deliverer.js';
import { NotificationMetrics } from './notification-metrics.js';
import {
  NOTHING_SENT,
  type ChannelName,
  type EndedAttempt,
  type Message,
  type Outbox,
  type Outcome,
  type Standing,
} from './outbox.js';
import { aChannel, aTelling } from './testing/a-channel.js';

const KEY = { namespace: 'team-a', name: 'alerts' };
const CONTEXT = { caller: { user: 'test', groups: [] }, traceId: 'trace' };
const DAY_MS = 86_400_000;
const QUIET: Standing = { pending: 0, failed: 0, dropped: 0, failuresInARow: 0 };

/** Answers as it is told to, and remembers what it was given. */
class PlayedDeliverer extends Deliverer {
  outcomes: Outcome[] = [];
  obstacle: ReturnType<Deliverer['hindrance']>;
  readonly deliveries: Delivery[] = [];

  override hindrance(): ReturnType<Deliverer['hindrance']> {
    return this.obstacle;
  }

  override deliver(delivery: Delivery): Promise<Outcome> {
    this.deliveries.push(delivery);
    return Promise.resolve(this.outcomes.shift() ?? { kind: 'Delivered', httpStatus: 200 });
  }
}

/** A queue of one channel. */
class PlayedOutbox {
  messages: Message[] = [];
  now: Standing = QUIET;
  uids: string[] = [];
  readonly ended: EndedAttempt[] = [];
  readonly forgotten: string[] = [];
  readonly givenUp: { readonly uid: string; readonly afterMs: number; readonly waiting: number }[] = [];
  released = 0;
  readonly takenOver: string[] = [];

  owners = (): Promise<readonly string[]> => Promise.resolve(this.uids);
  standing = (): Promise<Standing> => Promise.resolve(this.now);
  release = (): Promise<void> => Promise.resolve(void (this.released += 1));
  takeOver = (uid: string): Promise<void> => Promise.resolve(void this.takenOver.push(uid));
  forget = (uids: readonly string[]): Promise<void> => Promise.resolve(void this.forgotten.push(...uids));

  giveUp({ uid }: ChannelName, afterMs: number): Promise<void> {
    return Promise.resolve(void this.givenUp.push({ uid, afterMs, waiting: this.messages.length }));
  }

  begin(): Promise<Message | undefined> {
    return Promise.resolve(this.messages.shift());
  }

  end(_channel: ChannelName, _message: unknown, how: EndedAttempt): Promise<void> {
    this.ended.push(how);
    // The receiver is away: nothing more is begun.
    if (how.kind === 'Retry') this.messages = [];
    return Promise.resolve();
  }
}

let store: InMemoryResourceStore;
let api: LocalResourceApi;
let channels: TypedClient<NotificationChannel>;
let projects: TypedClient<Project>;
let outbox: PlayedOutbox;
let deliverer: PlayedDeliverer;
let secrets: InMemorySecretStore;
let events: InMemoryEventRecorder;
let reconciler: ChannelReconciler;

beforeEach(() => {
  store = new InMemoryResourceStore();
  secrets = new InMemorySecretStore();
  const sealed = new ChannelSecretStore(secrets);
  const kinds = new KindRegistry();
  api = new LocalResourceApi({ store, kinds });
  projects = new TypedClient(api, PROJECT, CONTEXT);
  const guard = new AddressGuard([]);
  kinds.add({ definition: PROJECT });
  kinds.add({
    definition: NOTIFICATION_CHANNEL,
    admit: [channelAdmission({ secrets: sealed, projects, guard, mayBePlain: false })],
  });
  channels = new TypedClient(api, NOTIFICATION_CHANNEL, CONTEXT);
  outbox = new PlayedOutbox();
  deliverer = new PlayedDeliverer();
  events = new InMemoryEventRecorder();
  const metrics = new NotificationMetrics(new InMemoryMetrics());
  const deliverers = { webhook: deliverer, slack: deliverer, email: deliverer };
  reconciler = new ChannelReconciler({
    channels,
    outbox: outbox as unknown as Outbox,
    secrets: sealed,
    sender: new ChannelSender({ deliverers, secrets: sealed, metrics }),
    events,
    retry: { retryMs: 1_000, longestRetryMs: 10_000, random: () => 0 },
    giveUpAfterMs: DAY_MS,
  });
});

afterEach(() => void jest.useRealTimers());

async function make(spec: object = {}): Promise<NotificationChannel> {
  const webhook = { url: 'https://hooks.example.org/crate', secret: 'a-secret-that-signs' };
  const metadata = { name: KEY.name, namespace: KEY.namespace };
  return channels.create({ metadata, spec: { type: 'webhook', webhook, ...spec } });
}

async function pass(): Promise<PassOutcome> {
  const { signal } = new AbortController();
  const context: ReconcileContext = { remoteSignal: signal, signal, epoch: 1n, traceId: 'trace' };
  return reconciler.reconcile(KEY, context);
}

function message(changes: Partial<Message> = {}): Message {
  return { id: 'id-1', telling: aTelling(), occurrences: 1, attempt: 1, ...changes };
}

async function condition(type: string): Promise<Condition | undefined> {
  return findCondition((await channels.find(KEY.name, KEY.namespace))?.status?.conditions, type);
}

describe('ChannelReconciler', () => {
  it('forgets what is left of a channel that is gone, and of none that is there', async () => {
    outbox.uids = ['long-gone'];
    expect(await pass()).toMatchObject({ isGone: true });
    const { metadata } = await make();
    outbox.uids = ['long-gone', metadata.uid];
    await pass();
    expect(outbox.forgotten).toEqual(['long-gone', 'long-gone']);
  });

  it('delivers all that is due, one after the other, with the secrets of the channel', async () => {
    await make();
    outbox.messages = [message(), message({ id: 'id-2' })];
    outbox.now = { ...QUIET, lastDeliveryAt: new Date('2026-11-21T10:00:00Z') };
    expect(await pass()).toEqual({ kind: 'settled' });
    expect(deliverer.deliveries.map(({ notice }) => notice.id)).toEqual(['id-1', 'id-2']);
    expect(deliverer.deliveries[0]?.secrets).toEqual({ secret: 'a-secret-that-signs' });
    expect(outbox.ended).toMatchObject([{ kind: 'Delivered' }, { kind: 'Delivered' }]);
    expect(await condition('Delivering')).toMatchObject({ status: 'True' });
  });

  it('writes nothing in a second pass over a channel that has nothing to tell', async () => {
    await make();
    await pass();
    const before = await store.currentRevision();
    await pass();
    expect(await store.currentRevision()).toBe(before);
    expect(events.events).toEqual([]);
  });

  it('stops while the receiver is away, says so, and comes again when something is due', async () => {
    await make();
    outbox.messages = [message({ attempt: 3 }), message({ id: 'id-2' })];
    outbox.now = { ...QUIET, failuresInARow: 2, pending: 2, lastFailure: 'It answered 503', nextInMs: 1_500 };
    deliverer.outcomes = [{ kind: 'Retry', httpStatus: 503 }];
    expect(await pass()).toMatchObject({ kind: 'waiting', retryAfterMs: 1_500 });
    // Half of four seconds for a third attempt; half of four for a third failure in a row.
    expect(outbox.ended).toMatchObject([{ kind: 'Retry', pauses: { messageMs: 2_000, channelMs: 2_000 } }]);
    expect(await condition('Delivering')).toMatchObject({ status: 'False', message: 'It answered 503' });
    expect(events.reasons).toEqual(['Warning DeliveryFailed']);
  });

  it('names who refuses e-mail, and asks for those who have not taken it only', async () => {
    await make();
    outbox.messages = [message({ outstanding: ['bob@example.org'] })];
    outbox.now = { ...QUIET, failuresInARow: 1, lastFailure: 'It refuses bob', lastReason: 'RecipientRefused' };
    await pass();
    expect(deliverer.deliveries[0]?.outstanding).toEqual(['bob@example.org']);
    expect(await condition('Delivering')).toMatchObject({ status: 'False', reason: 'RecipientRefused' });
  });

  it('does not know how an address is that was corrected, before something is sent to it', async () => {
    await make();
    outbox.now = { ...QUIET, lastDeliveryAt: new Date('2026-11-21T10:00:00Z'), lastReason: NOTHING_SENT };
    await pass();
    expect(await condition('Delivering')).toMatchObject({
      status: 'Unknown',
      reason: 'NothingSent',
      message: 'Nothing was sent since the channel was changed; crate notifications test sends something',
    });
  });

  it('goes on behind a message that nobody will have: the channel is not held for it', async () => {
    await make();
    outbox.messages = [message(), message({ id: 'id-2' })];
    deliverer.outcomes = [{ kind: 'Failed', httpStatus: 400 }];
    await pass();
    expect(outbox.ended.map(({ kind }) => kind)).toEqual(['Failed', 'Delivered']);
    expect(outbox.ended[0]).not.toHaveProperty('pauses');
  });

  it('gives up what is older than a day before it delivers', async () => {
    const { metadata } = await make();
    outbox.messages = [message()];
    await pass();
    expect(outbox.givenUp).toEqual([{ uid: metadata.uid, afterMs: DAY_MS, waiting: 1 }]);
    expect(outbox.ended).toMatchObject([{ kind: 'Delivered' }]);
  });

  it.each([
    { reason: 'it is paused', spec: { paused: true }, obstacle: undefined, want: { type: 'Paused', status: 'True' } },
    {
      reason: 'the platform has no mail server',
      spec: {},
      obstacle: { reason: 'SmtpNotConfigured', message: 'The platform has no mail server' },
      want: { type: 'Ready', status: 'False', reason: 'SmtpNotConfigured' },
    },
  ])('sends nothing where $reason, keeps what waits, and gives up what is old', async ({ spec, obstacle, want }) => {
    await make(spec);
    deliverer.obstacle = obstacle;
    outbox.messages = [message()];
    outbox.now = { ...QUIET, pending: 1, nextInMs: 0 };
    expect(await pass()).toEqual({ kind: 'settled' });
    expect(deliverer.deliveries).toEqual([]);
    expect(outbox.messages).toHaveLength(1);
    expect(outbox.givenUp).toMatchObject([{ afterMs: DAY_MS }]);
    expect(await condition(want.type)).toMatchObject(want);
  });

  it.each([
    { reason: 'its secrets are damaged', error: new PlatformError('Invariant', 'Damaged'), want: 'SecretsUnreadable' },
    { reason: 'its secrets are gone', error: undefined, want: 'SecretsUnreadable' },
  ])('sends nothing where $reason, says so, and goes on when they are stated again', async ({ error, want }) => {
    await make();
    const { find } = secrets;
    secrets.find = () => (error ? Promise.reject(error) : Promise.resolve(undefined));
    outbox.messages = [message()];
    expect(await pass()).toEqual({ kind: 'settled' });
    expect(outbox.messages).toHaveLength(1);
    expect(await condition('Ready')).toMatchObject({ status: 'False', reason: want });
    expect(events.reasons).toEqual([`Warning ${want}`]);
    const silent = channels.merge(KEY.name, KEY.namespace, { spec: { severities: ['Info'] } });
    await expect(silent).rejects.toMatchObject({
      code: 'InvalidSpec',
      message: expect.stringContaining('stated again'),
    });
    await channels.merge(KEY.name, KEY.namespace, { spec: { webhook: { secret: 'a-secret-that-signs' } } });
    secrets.find = find;
    await pass();
    expect(await condition('Ready')).toMatchObject({ status: 'True' });
    expect(deliverer.deliveries).toMatchObject([{ secrets: { secret: 'a-secret-that-signs' } }]);
  });

  it('looks again for a key that is not there, and tries again what passes by itself', async () => {
    await make();
    const refused = (details: object): Error => new PlatformError('Unavailable', 'It is not there', { details });
    secrets.find = () => Promise.reject(refused({ reason: 'EncryptionKeyMissing' }));
    expect(await pass()).toMatchObject({ kind: 'waiting', reason: 'EncryptionKeyMissing' });
    expect(await condition('Ready')).toMatchObject({ status: 'False', reason: 'EncryptionKeyMissing' });
    secrets.find = () => Promise.reject(refused({}));
    await expect(pass()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('tries at once what waits when a person changes the channel', async () => {
    await make();
    await pass();
    await pass();
    expect(outbox.released).toBe(1);
    await channels.merge(KEY.name, KEY.namespace, { spec: { severities: ['Info'] } });
    await pass();
    expect(outbox.released).toBe(2);
  });

  it('goes on at once with what an earlier pass left under way, also where the one between them failed', async () => {
    const { metadata } = await make();
    outbox.messages = [message()];
    jest.spyOn(outbox, 'owners').mockRejectedValueOnce(new PlatformError('Unavailable', 'The database is away'));
    await expect(pass()).rejects.toMatchObject({ code: 'Unavailable' });
    jest.spyOn(outbox, 'takeOver').mockImplementationOnce((uid) => {
      expect(outbox.messages).toHaveLength(1);
      return Promise.resolve(void outbox.takenOver.push(uid));
    });
    await pass();
    expect(outbox.takenOver).toEqual([metadata.uid]);
    expect(outbox.ended).toMatchObject([{ kind: 'Delivered' }]);
  });

  it('removes secrets an hour after others took their place', async () => {
    const first = await make();
    const webhook = { url: 'https://hooks.example.org/crate', secret: 'another-one-that-signs' };
    const second = await channels.merge(KEY.name, KEY.namespace, { spec: { webhook } });
    const sealed = new ChannelSecretStore(secrets);
    await pass();
    expect(await sealed.of(first)).toEqual({ secret: 'a-secret-that-signs' });

    jest.useFakeTimers({ now: Date.now() + 2 * 3_600_000, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
    await pass();
    await expect(sealed.of(first)).rejects.toMatchObject({ code: 'Invariant' });
    expect(await sealed.of(second)).toEqual({ secret: 'another-one-that-signs' });
  });

  it('keeps secrets of long ago for an hour after others took their place', async () => {
    const first = await make();
    jest.useFakeTimers({ now: Date.now() + 2 * 3_600_000, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
    const webhook = { url: 'https://hooks.example.org/crate', secret: 'another-one-that-signs' };
    await channels.merge(KEY.name, KEY.namespace, { spec: { webhook } });
    await pass();
    expect(await new ChannelSecretStore(secrets).of(first)).toEqual({ secret: 'a-secret-that-signs' });
  });

  it('takes rows and secrets along when the channel goes, and the channel last', async () => {
    const { metadata } = await make();
    await pass();
    expect(await secrets.countOwners()).toBe(1);
    await channels.remove(KEY.name, KEY.namespace);
    outbox.messages = [message()];
    await pass();
    expect(outbox.forgotten).toEqual([metadata.uid]);
    expect(deliverer.deliveries).toEqual([]);
    expect(await secrets.countOwners()).toBe(0);
    expect(await channels.find(KEY.name, KEY.namespace)).toBeUndefined();
  });
});

describe('a channel that goes', () => {
  beforeEach(async () => {
    await make();
    await channels.remove(KEY.name, KEY.namespace);
  });

  it('takes its secrets with it', async () => {
    await pass();
    expect(await channels.find(KEY.name, KEY.namespace)).toBeUndefined();
    expect(await secrets.countOwners()).toBe(0);
  });

  it('leaves those of the next one of its name alone when another pass has ended the deletion meanwhile', async () => {
    jest.spyOn(outbox, 'forget').mockImplementation(async () => {
      await channels.merge(KEY.name, KEY.namespace, { metadata: { finalizers: [] } });
      await make();
    });
    await pass();
    expect((await channels.find(KEY.name, KEY.namespace))?.metadata.deletionTimestamp).toBeUndefined();
    expect(await secrets.countOwners()).toBe(1);
  });
});

describe('writing a channel', () => {
  it('keeps nothing secret in the copy that kubectl keeps, and drops one that it cannot read', async () => {
    const copy = 'kubectl.kubernetes.io/last-applied-configuration';
    const { spec } = aChannel({ webhook: { url: 'https://a.example.org/', secret: 'a-secret-that-signs' } });
    const draft = (text: string, name: string): Parameters<typeof channels.create>[0] => ({
      metadata: { name, namespace: KEY.namespace, annotations: { [copy]: text, other: 'kept' } },
      spec,
    });
    const made = await channels.create(draft(JSON.stringify({ kind: 'NotificationChannel', spec }), 'one'));
    expect(JSON.parse(made.metadata.annotations?.[copy] ?? '')).toMatchObject({ kind: 'NotificationChannel' });
    const other = await channels.create(draft('{"a-secret-that-signs', 'two'));
    expect(other.metadata.annotations).toEqual({ other: 'kept' });
    const stored = await store.list({ group: NOTIFICATION_CHANNEL.group, kind: NOTIFICATION_CHANNEL.kind });
    expect(JSON.stringify(stored)).not.toContain('a-secret-that-signs');
  });

  it('ties it to its Project alone, so that nothing keeps it beyond that', async () => {
    const project = await projects.create({ metadata: { name: KEY.namespace }, spec: {} });
    await make();
    const account = { apiVersion: 'cloud.crate.dev/v1alpha1', kind: 'CloudAccount', name: 'a', uid: 'account-uid' };
    const owned = { metadata: { ownerReferences: [account] } };
    const { metadata } = await channels.merge(KEY.name, KEY.namespace, owned);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Project', uid: project.metadata.uid }]);
    await projects.remove(KEY.namespace);
    expect((await channels.find(KEY.name, KEY.namespace))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('leaves one of an earlier Project of the name with that one, whatever is written to it', async () => {
    const earlier = await projects.create({ metadata: { name: KEY.namespace }, spec: {} });
    await make();
    await projects.remove(KEY.namespace);
    await projects.create({ metadata: { name: KEY.namespace }, spec: {} });
    const { metadata } = await channels.merge(KEY.name, KEY.namespace, { metadata: { labels: { team: 'new' } } });
    expect(metadata.labels).toEqual({ team: 'new' });
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Project', uid: earlier.metadata.uid }]);
  });

  it('lets nobody point a channel at secrets by hand, and changes nothing when the same is applied again', async () => {
    const first = await make();
    const patched = await channels.merge(KEY.name, KEY.namespace, { spec: { secretsFingerprint: 'made-up' } });
    expect(patched.spec.secretsFingerprint).toBe(first.spec.secretsFingerprint);
    const same = { webhook: { secret: 'a-secret-that-signs' } };
    const again = await channels.merge(KEY.name, KEY.namespace, { spec: same });
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const changed = await channels.merge(KEY.name, KEY.namespace, { spec: { webhook: { secret: 'another-secret' } } });
    expect(changed.spec.secretsFingerprint).not.toBe(first.spec.secretsFingerprint);
  });

  it('shows by the own fields of who applies a value of a header that another is stated', async () => {
    const webhook = { url: 'https://hooks.example.org/crate' };
    const apply = async (value: string, dryRun = false): Promise<NotificationChannel> => {
      const headers = [{ name: 'Authorization', value }];
      const spec = { type: 'webhook', webhook: { ...webhook, headers } };
      const document = { apiVersion: apiVersionOf(NOTIFICATION_CHANNEL), kind: 'NotificationChannel', spec };
      const options = { type: 'apply', fieldManager: 'argocd-controller', dryRun } as const;
      return (await api.patch({ ...NOTIFICATION_CHANNEL, ...KEY }, document, options, CONTEXT))
        .object as NotificationChannel;
    };
    const { spec } = await apply('Bearer one');
    const rotated = await apply('Bearer two', true);
    expect(rotated.spec.secretsFingerprint).not.toBe(spec.secretsFingerprint);
    expect(rotated.metadata.managedFields).toMatchObject([
      { manager: 'argocd-controller', fieldsV1: { 'f:spec': { 'f:secretsFingerprint': {} } } },
    ]);
    expect((await apply('Bearer one', true)).spec.secretsFingerprint).toBe(spec.secretsFingerprint);
  });

  it.each(['http://hooks.example.org/', 'https://10.0.0.1/', 'https://[::1]/', 'https://0x7f000001/'])(
    'refuses %s, naming the field',
    async (url) => {
      const refused = await make({ webhook: { url } }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'InvalidSpec', message: expect.stringContaining('spec.webhook.url') });
      expect(await secrets.countOwners()).toBe(0);
    },
  );
});
