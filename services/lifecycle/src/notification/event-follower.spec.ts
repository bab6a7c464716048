import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster, EventObject, KubeObjectInput, NotificationChannel, Project } from '@crate/api';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { EventFollower } from './event-follower.js';
import type { Outbox, Wanted } from './outbox.js';
import { aChannel, aFailure, TEAM_A } from './testing/a-channel.js';

/** Keeps what it is given; somebody else may be first. */
class PlayedOutbox {
  revision: string | undefined;
  readonly taken: Wanted[] = [];
  isLate = false;

  position(): Promise<string | undefined> {
    return Promise.resolve(this.revision);
  }

  take(from: string | undefined, to: string, wanted: readonly Wanted[]): Promise<number | false> {
    if (from !== this.revision) return Promise.resolve(false);
    this.revision = to;
    if (this.isLate) return Promise.resolve(false);
    this.taken.push(...wanted);
    return Promise.resolve(wanted.length > 1 ? 1 : 0);
  }
}

let events: InMemoryResourceStore;
let outbox: PlayedOutbox;
let channels: NotificationChannel[];
let clusters: Record<string, Partial<Cluster['metadata']>>;
let logger: InMemoryLogger;
let woken: string[];
let dropped: number;
beforeEach(() => {
  events = new InMemoryResourceStore();
  outbox = new PlayedOutbox();
  channels = [aChannel()];
  clusters = {};
  logger = new InMemoryLogger();
  woken = [];
  dropped = 0;
});

function follower(): EventFollower {
  return new EventFollower({
    events,
    channels: { list: () => Promise.resolve(channels) },
    projects: {
      find: (name) =>
        Promise.resolve(
          (name === TEAM_A.name ? { metadata: { name, uid: TEAM_A.uid } } : undefined) as Project | undefined,
        ),
    },
    clusters: {
      find: (name) =>
        Promise.resolve((clusters[name] ? { metadata: clusters[name] } : undefined) as Cluster | undefined),
    },
    outbox: outbox as unknown as Outbox,
    logger,
    onTaken: (projects) => woken.push(...projects),
    onDropped: (messages) => (dropped += messages),
  });
}

async function happens(name: string, changes: Partial<EventObject> = {}): Promise<EventObject> {
  const { metadata, ...event } = aFailure(changes);
  const { namespace, labels } = metadata;
  const draft = { ...event, metadata: { name, namespace, labels } } as unknown as KubeObjectInput;
  return (await events.create(draft as never)) as EventObject;
}

async function follow(): Promise<readonly string[]> {
  await follower().look();
  return outbox.taken.map(({ telling }) => telling.reason);
}

describe('EventFollower', () => {
  it('tells what happens from its first look on, and nothing twice', async () => {
    await happens('before');
    expect(await follow()).toEqual([]);
    await happens('after');
    expect(await follow()).toEqual(['QuotaExceeded']);
    expect(woken).toEqual(['team-a']);
    expect(await follow()).toHaveLength(1);
    expect(outbox.taken[0]).toMatchObject({ channel: { uid: 'channel-uid', project: 'team-a', name: 'alerts' } });
  });

  it.each([
    { reason: 'is of an earlier Project of the name', ownerReferences: [{ ...TEAM_A, uid: 'an-earlier-uid' }] },
    { reason: 'was left behind by its Project', ownerReferences: [] },
  ])('tells nothing to a channel that $reason', async ({ ownerReferences }) => {
    channels = [aChannel({}, { ownerReferences })];
    await follow();
    await happens('after');
    expect(await follow()).toEqual([]);
  });

  it('goes over a long log page by page, past what nobody wants', async () => {
    await follow();
    for (let n = 0; n < 1_100; n += 1)
      await happens(`event-${n}`, n === 1_050 ? {} : { type: 'Normal', reason: 'Fine' });
    expect(await follow()).toEqual(['QuotaExceeded']);
    expect(outbox.revision).toBe(await events.currentRevision());
  });

  it('writes nothing of what happens while there is no channel, unless it falls far behind', async () => {
    await follow();
    channels = [];
    await happens('one');
    await follow();
    expect(outbox.revision).toBe('0');
    for (let n = 0; n < 1_000; n += 1) await happens(`event-${n}`);
    await follow();
    expect(outbox.revision).toBe('1001');
    expect(outbox.taken).toEqual([]);
  });

  it('reads nothing of Projects without a channel', async () => {
    await follow();
    const read: string[] = [];
    const find = events.find.bind(events);
    events.find = (key) => {
      read.push(`${key.namespace}/${key.name}`);
      return find(key);
    };
    await happens('ours');
    const { metadata } = aFailure();
    await events.create({ ...aFailure(), metadata: { ...metadata, uid: '', name: 'theirs', namespace: 'team-b' } });
    await follow();
    expect(read).toEqual(['team-a/ours']);
  });

  it('leaves what another replica took, and wakes nobody for it', async () => {
    await follow();
    await happens('one');
    outbox.isLate = true;
    expect(await follow()).toEqual([]);
    expect(woken).toEqual([]);
  });

  it('tells nothing of what is gone by now, as with its Project', async () => {
    await follow();
    const { metadata } = await happens('one');
    await events.remove({ group: '', kind: 'Event', namespace: 'team-a', name: metadata.name });
    expect(await follow()).toEqual([]);
    expect(outbox.revision).toBe(await events.currentRevision());
  });

  it('catches up by what is kept when it was away for longer than the log reaches back', async () => {
    await happens('told');
    await follow();
    await happens('missed');
    await happens('missed-too', { reason: 'CapacityUnavailable' });
    await events.compact(0);
    expect([...(await follow())].sort()).toEqual(['CapacityUnavailable', 'QuotaExceeded']);
    expect(logger.lines).toMatchObject([{ level: 'warn' }]);
    expect(dropped).toBe(1);
    expect(await follow()).toHaveLength(2);
  });

  it('begins anew when the log was set back', async () => {
    outbox.revision = '99';
    await happens('one');
    expect(await follow()).toEqual([]);
    await happens('two');
    expect(await follow()).toHaveLength(1);
  });

  it.each([
    { reason: 'its labels are as asked for', labels: { stage: 'production' }, uid: 'cluster-uid', want: 1 },
    { reason: 'they are not', labels: { stage: 'test' }, uid: 'cluster-uid', want: 0 },
    { reason: 'it is another one of the name', labels: { stage: 'production' }, uid: 'later', want: 0 },
  ])('asks for the Cluster where a channel selects by it: $want, since $reason', async ({ labels, uid, want }) => {
    channels = [aChannel({ match: { clusterSelector: { matchLabels: { stage: 'production' } } } })];
    clusters['demo'] = { uid, labels };
    await follow();
    await happens('one');
    expect(await follow()).toHaveLength(want);
  });
});
