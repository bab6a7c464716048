import { beforeEach, describe, expect, it } from '@jest/globals';
import { AUDIT_EVENT, type AuditEvent, type KubeList, type WatchEvent } from '@crate/api';
import { GENESIS } from '@crate/audit';
import { timeout, unavailable } from '@crate/errors';
import type { CallContext, ListOptions, WatchOptions } from '@crate/resource-client';
import { FakeAuditSource } from '../testing/fake-audit-source.js';
import { historyStart } from '../access/history-start.js';
import { aProject } from '../testing/a-project.js';
import { AuditEventsApi } from './audit-events.api.js';
import type { AuditSource } from './audit-sources.js';
import { MergedAudit } from './merged-audit.js';

const TYPE = { group: AUDIT_EVENT.group, version: AUDIT_EVENT.version, plural: AUDIT_EVENT.plural };
const CONTEXT: CallContext = { caller: { user: 'ada', groups: ['platform-admin'] }, traceId: 't' };

/** A Project in each namespace, made after some of the records there. */
const projects = {
  find: (name: string) => {
    const project = aProject(name);
    const metadata = { ...project.metadata, creationTimestamp: '2026-01-01T00:00:02Z' };
    return Promise.resolve(name === 'gone' ? undefined : { ...project, metadata });
  },
};

let own: FakeAuditSource;
let cloud: FakeAuditSource;
let api: AuditEventsApi;
beforeEach(() => {
  own = new FakeAuditSource('lifecycle');
  cloud = new FakeAuditSource('cloud-mgmt');
  own.add('2026-01-01T00:00:01.000Z', { verb: 'create', code: 201 });
  cloud.add('2026-01-01T00:00:02.000Z', { user: 'system:lifecycle', via: 'lifecycle' });
  own.add('2026-01-01T00:00:03.000Z', { verb: 'delete', decision: 'denied', code: 403, reason: 'Forbidden' });
  cloud.add('2026-01-01T00:00:04.000Z', { project: 'team-b', namespace: 'team-b' });
  own.add('2026-01-01T00:00:05.000Z', { project: '', resource: 'clusterclasses' });
  api = new AuditEventsApi(new MergedAudit([own.named(), cloud.named()]), historyStart(projects), 5);
});

function list(options: ListOptions = {}): Promise<KubeList> {
  return api.list(TYPE, options, CONTEXT);
}

async function names(options: ListOptions = {}): Promise<readonly string[]> {
  return (await list(options)).items.map(({ metadata }) => metadata.name);
}

describe('whoever got the name of a Project that is gone', () => {
  const anna: CallContext = { caller: { user: 'anna', groups: [] }, traceId: 't' };
  const inTeamA = (fieldSelector = ''): ListOptions => ({ namespace: 'team-a', fieldSelector });
  const namesOf = async (options: ListOptions): Promise<readonly string[]> =>
    (await api.list(TYPE, options, anna)).items.map(({ metadata }) => metadata.name);

  it.each([
    { selector: '', want: ['cloud-mgmt.1', 'lifecycle.2'] },
    { selector: 'since=2025-01-01T00:00:00Z', want: ['cloud-mgmt.1', 'lifecycle.2'] },
    { selector: 'since=2026-01-01T00:00:03Z', want: ['lifecycle.2'] },
  ])('lists none of the records from before their own, selecting $selector', async ({ selector, want }) => {
    expect(await namesOf(inTeamA(selector))).toEqual(want);
    expect(await names(inTeamA())).toContain('lifecycle.1');
  });

  it('gets none of them', async () => {
    const get = (name: string): Promise<unknown> => api.get({ ...TYPE, namespace: 'team-a', name }, anna);
    await expect(get('lifecycle.1')).rejects.toMatchObject({ code: 'NotFound' });
    expect(await get('lifecycle.2')).toMatchObject({ metadata: { name: 'lifecycle.2' } });
  });

  it('watches none of them, from wherever', async () => {
    const seen: string[] = [];
    for await (const { object } of api.watch(TYPE, { ...inTeamA(), timeoutMs: 60_000 }, anna)) {
      seen.push(object.metadata.name);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['cloud-mgmt.1', 'lifecycle.2']);
  });

  it('is told when there is no such Project any more', async () => {
    await expect(namesOf({ namespace: 'gone' })).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('listing audit events', () => {
  it('merges the logs of all services by time', async () => {
    expect(await names()).toEqual(['lifecycle.1', 'cloud-mgmt.1', 'lifecycle.2', 'cloud-mgmt.2', 'lifecycle.3']);
  });

  it('shows a record with its place in the chain, in the namespace of its Project', async () => {
    const [first, , , , last] = (await list()).items as AuditEvent[];
    expect(first).toMatchObject({
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'AuditEvent',
      metadata: { name: 'lifecycle.1', namespace: 'team-a', creationTimestamp: '2026-01-01T00:00:01Z' },
      time: '2026-01-01T00:00:01.000Z',
      user: 'ada',
      verb: 'create',
      object: { group: 'g', resource: 'things', namespace: 'team-a', name: 'x-1' },
      chain: { seq: 1, hash: own.rows[0]?.hash },
    });
    expect(AUDIT_EVENT.body.safeParse(first).success).toBe(true);
    expect(last?.metadata.namespace).toBe('crate:platform');
  });

  it.each([
    { options: { namespace: 'team-b' }, want: ['cloud-mgmt.2'] },
    { options: { namespace: 'crate:platform' }, want: ['lifecycle.3'] },
    { options: { fieldSelector: 'user=ada,verb!=create' }, want: ['lifecycle.2', 'cloud-mgmt.2', 'lifecycle.3'] },
    { options: { fieldSelector: 'decision=denied' }, want: ['lifecycle.2'] },
    { options: { fieldSelector: 'code=201' }, want: ['lifecycle.1'] },
    { options: { fieldSelector: 'metadata.name=lifecycle.2' }, want: ['lifecycle.2'] },
    { options: { fieldSelector: 'metadata.namespace!=team-a' }, want: ['cloud-mgmt.2', 'lifecycle.3'] },
    {
      options: { fieldSelector: 'since=2026-01-01T00:00:02Z,until=2026-01-01T00:00:04Z' },
      want: ['cloud-mgmt.1', 'lifecycle.2'],
    },
    { options: { fieldSelector: 'since=2026-01-01T01:00:04+01:00' }, want: ['cloud-mgmt.2', 'lifecycle.3'] },
  ])('selects by $options', async ({ options, want }) => {
    expect(await names(options)).toEqual(want);
  });

  it.each([
    { options: { fieldSelector: 'colour=red' }, want: /not supported: colour.*selected by user, via, verb/ },
    { options: { fieldSelector: 'since=yesterday' }, want: /since must be a time/ },
    { options: { fieldSelector: 'until!=2026-01-01T00:00:04Z' }, want: /since and until with = only/ },
    { options: { labelSelector: 'a=b' }, want: /have no labels/ },
    { options: { continue: 'rubbish' }, want: /not a token/ },
  ])('refuses $options with words that help', async ({ options, want }) => {
    await expect(list(options)).rejects.toMatchObject({ code: 'BadRequest', message: expect.stringMatching(want) });
  });

  it('goes on where a service looked through a part of its log and found nothing', async () => {
    const inParts = (source: AuditSource): AuditSource => ({
      ...source,
      read: (request) => source.read({ ...request, upTo: Math.min(request.upTo ?? Infinity, request.after + 1) }),
    });
    api = new AuditEventsApi(new MergedAudit([own.named(), cloud.named()].map(inParts)), historyStart(projects), 5);
    expect(await names({ fieldSelector: 'resource=clusterclasses' })).toEqual(['lifecycle.3']);
  });

  it('is one snapshot over all pages, in any size', async () => {
    for (const limit of [1, 2, 3, 5]) {
      const first = await list({ limit });
      const found = first.items.map(({ metadata }) => metadata.name);
      const count = [own.rows.length, cloud.rows.length];
      own.add('2026-01-01T00:00:02.500Z');
      for (let token = first.metadata.continue; token !== undefined;) {
        const page = await list({ limit, continue: token });
        expect(page.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
        found.push(...page.items.map(({ metadata }) => metadata.name));
        token = page.metadata.continue;
      }
      expect(found).toHaveLength((count[0] ?? 0) + (count[1] ?? 0));
      expect(new Set(found).size).toBe(found.length);
    }
  });

  it('has no page behind records that were cut meanwhile', async () => {
    const { metadata } = await list({ limit: 1 });
    own.floor = { ...GENESIS, seq: 2 };
    await expect(list({ continue: metadata.continue ?? '' })).rejects.toMatchObject({ code: 'Gone' });
    expect(await names()).toEqual(['cloud-mgmt.1', 'cloud-mgmt.2', 'lifecycle.3']);
  });

  it.each([
    { namespace: 'team-b' },
    { namespace: 'team-a', fieldSelector: 'since=2026-01-01T00:00:03Z,until=2026-01-01T00:00:04Z' },
    { fieldSelector: 'code=201' },
  ])('shows what is selected alone, %j, also of a service that answers with all it has', async (options) => {
    const heedless = [own, cloud]
      .map((source) => source.named())
      .map((source): AuditSource => {
        return { ...source, read: ({ after, limit }) => source.read({ after, limit }) };
      });
    const want = await names(options);
    api = new AuditEventsApi(new MergedAudit(heedless), historyStart(projects));
    expect(want).toHaveLength(1);
    expect(await names(options)).toEqual(want);
  });

  it('fails rather than leave a service out', async () => {
    cloud.failure = unavailable('Nobody answers');
    await expect(list()).rejects.toMatchObject({ code: 'Unavailable' });
  });
});

describe('getting an audit event', () => {
  it('finds it in its namespace only', async () => {
    const get = (namespace: string, name: string): Promise<unknown> => api.get({ ...TYPE, namespace, name }, CONTEXT);
    expect(await get('team-b', 'cloud-mgmt.2')).toMatchObject({ chain: { seq: 2 } });
    for (const [namespace, name] of [
      ['team-a', 'cloud-mgmt.2'],
      ['team-a', 'lifecycle.99'],
      ['team-a', 'nobody.1'],
      ['team-a', 'lifecycle.01'],
      ['team-a', 'lifecycle.0'],
      // A place of another epoch, of which the row would be 1.
      ['team-a', 'lifecycle.100000000001'],
      ['team-a', 'x'],
    ] as const) {
      await expect(get(namespace, name)).rejects.toMatchObject({ code: 'NotFound' });
    }
  });

  it('is all that can be done with it', async () => {
    await expect(api.remove({ ...TYPE, name: 'lifecycle.1' })).rejects.toMatchObject({ code: 'Forbidden' });
  });
});

describe('watching audit events', () => {
  async function watched(count: number, options: WatchOptions, during?: () => void): Promise<readonly WatchEvent[]> {
    const stop = new AbortController();
    const events: WatchEvent[] = [];
    during?.();
    for await (const event of api.watch(TYPE, options, { ...CONTEXT, signal: stop.signal })) {
      events.push(event);
      if (events.length === count) stop.abort();
    }
    return events;
  }

  it('goes on behind a list, without a gap and without anything twice', async () => {
    const { metadata } = await list();
    const events = await watched(3, { resourceVersion: metadata.resourceVersion }, () => {
      cloud.add('2026-01-01T00:00:07.000Z');
      own.add('2026-01-01T00:00:06.000Z');
      own.add('2026-01-01T00:00:08.000Z');
    });
    expect(events.map(({ object }) => object.metadata.name)).toEqual(['lifecycle.4', 'cloud-mgmt.3', 'lifecycle.5']);
    const middle = events[1]?.object.metadata.resourceVersion ?? '';
    const again = await watched(1, { resourceVersion: middle });
    expect(again.map(({ object }) => object.metadata.name)).toEqual(['lifecycle.5']);
  });

  it('lists the log as it was at a version, and the newest from one on', async () => {
    const resourceVersion = (await list()).metadata.resourceVersion;
    const before = await names();
    own.add('2026-01-01T00:00:09.000Z');
    expect(await names({ resourceVersion, resourceVersionMatch: 'Exact' })).toEqual(before);
    expect(await names({ resourceVersion, resourceVersionMatch: 'NotOlderThan' })).toHaveLength(before.length + 1);
    const beyond = String(BigInt((await list()).metadata.resourceVersion) + 1n);
    await expect(list({ resourceVersion: beyond, resourceVersionMatch: 'NotOlderThan' })).rejects.toMatchObject({
      code: 'Timeout',
      details: { reason: 'ResourceVersionTooLarge' },
    });
  });

  it('has resource versions that grow, as numbers', async () => {
    const events = await watched(5, {});
    const versions = events.map(({ object }) => BigInt(object.metadata.resourceVersion));
    expect(versions.every((version, index) => index === 0 || version > (versions[index - 1] ?? 0n))).toBe(true);
  });

  it('tells the end of what was there', async () => {
    const events = await watched(6, { sendInitialEvents: true });
    expect(events[5]).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
  });

  it('tells all there was before its end, also from a version on', async () => {
    const { metadata } = await list();
    const { resourceVersion } = metadata;
    const events = await watched(6, { sendInitialEvents: true, resourceVersion });
    expect(events.map(({ type }) => type)).toEqual([...Array.from({ length: 5 }, () => 'ADDED'), 'BOOKMARK']);
    own.add('2026-01-01T00:00:06.000Z');
    const further = await watched(1, { sendInitialEvents: false, resourceVersion });
    expect(further.map(({ object }) => object.metadata.name)).toEqual(['lifecycle.4']);
  });

  it('tells what is new alone when nothing of before is asked for', async () => {
    setTimeout(() => own.add('2026-01-01T00:00:06.000Z'), 20);
    const events = await watched(1, { sendInitialEvents: false });
    expect(events.map(({ object }) => object.metadata.name)).toEqual(['lifecycle.4']);
  });

  it('waits for a service that is away', async () => {
    const { metadata } = await list();
    cloud.failure = unavailable('away');
    setTimeout(() => {
      cloud.failure = undefined;
      cloud.add('2026-01-01T00:00:09.000Z');
    }, 20);
    const events = await watched(1, { resourceVersion: metadata.resourceVersion });
    expect(events[0]?.object.metadata.name).toBe('cloud-mgmt.3');
  });

  it.each([{ failure: unavailable('away') }, { failure: timeout('busy') }])(
    'goes on behind what it gave when a service is away in between: $failure.code',
    async ({ failure }) => {
      const source = cloud.named();
      let reads = 0;
      const read: typeof source.read = (request) => {
        reads += 1;
        return reads === 2 ? Promise.reject(failure) : source.read({ ...request, limit: 1 });
      };
      const audit = new MergedAudit([own.named(), { ...source, read }]);
      api = new AuditEventsApi(audit, historyStart(projects), 5);
      const events = await watched(6, { sendInitialEvents: true });
      expect(events.map(({ object }) => object.metadata.name)).toEqual([
        ...['lifecycle.1', 'cloud-mgmt.1', 'lifecycle.2', 'cloud-mgmt.2', 'lifecycle.3'],
        undefined,
      ]);
    },
  );

  it('ends at its time, and when it cannot go on says Gone', async () => {
    const { metadata } = await list();
    expect(await watched(99, { resourceVersion: metadata.resourceVersion, timeoutMs: 20 })).toEqual([]);
    await expect(watched(1, { resourceVersion: '7' })).rejects.toMatchObject({ code: 'Gone' });
    own.floor = { ...GENESIS, seq: 9 };
    await expect(watched(1, { resourceVersion: metadata.resourceVersion })).rejects.toMatchObject({ code: 'Gone' });
  });

  describe('after a database was set back', () => {
    /** As seconds, a moment apart: one backup is restored twice. */
    const FIRST = 1_795_700_000;
    const SECOND = FIRST + 1;
    let before: KubeList;
    beforeEach(async () => {
      before = await list({ limit: 2 });
    });
    const since = (): Promise<unknown> => watched(1, { resourceVersion: before.metadata.resourceVersion });

    it('cannot go on from what the log has lost', async () => {
      own.rows.length = 2;
      await expect(since()).rejects.toMatchObject({ code: 'Gone' });
    });

    it.each([undefined, FIRST])('cannot go on from before, however long the log is since: %s', async (epoch) => {
      own.epoch = epoch;
      before = await list({ limit: 2 });
      own.epoch = SECOND;
      own.rows.length = 1;
      for (let n = 0; n < 5; n++) own.add('2026-01-01T00:00:06.000Z');
      await expect(since()).rejects.toMatchObject({ code: 'Gone' });
      await expect(list({ continue: before.metadata.continue ?? '' })).rejects.toMatchObject({ code: 'Gone' });
      const notBefore = {
        resourceVersion: before.metadata.resourceVersion,
        resourceVersionMatch: 'NotOlderThan',
      } as const;
      await expect(list(notBefore)).rejects.toMatchObject({ code: 'Gone' });
    });

    it.each([undefined, FIRST])('ends a watch that goes on meanwhile, at epoch %s', async (epoch) => {
      const heard = watched(1, { resourceVersion: before.metadata.resourceVersion });
      setTimeout(() => {
        own.epoch = epoch;
        own.rows.length = 1;
      }, 20);
      await expect(heard).rejects.toMatchObject({ code: 'Gone' });
    });

    it('lists and watches as ever, with versions that grow', async () => {
      own.epoch = FIRST;
      own.rows.length = 2;
      const { items, metadata } = await list();
      expect(items.map(({ metadata: { name } }) => name)).toEqual([
        'lifecycle.1',
        'cloud-mgmt.1',
        'lifecycle.2',
        'cloud-mgmt.2',
      ]);
      expect(BigInt(metadata.resourceVersion)).toBeGreaterThan(BigInt(before.metadata.resourceVersion));
      own.add('2026-01-01T00:00:06.000Z');
      const [event] = await watched(1, { resourceVersion: metadata.resourceVersion });
      expect(event?.object.metadata.name).toBe('lifecycle.3');
      const pages = await list({ limit: 3 });
      expect((await list({ continue: pages.metadata.continue ?? '' })).items).toHaveLength(2);
      expect((await watched(5, {})).map(({ object }) => object.metadata.name)).toHaveLength(5);
    });
  });
});
