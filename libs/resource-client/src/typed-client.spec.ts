import { beforeEach, describe, expect, it } from '@jest/globals';
import { CLUSTER, type Cluster, type KubeObject } from '@crate/api';
import { notFound, unavailable } from '@crate/errors';
import type { CallContext, ListOptions, ResourceApi } from './resource-api.js';
import { TypedClient } from './typed-client.js';

const CONTEXT: CallContext = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };
const TYPE = { group: 'lifecycle.crate.dev', version: 'v1alpha1', plural: 'clusters' };
const REF = { ...TYPE, name: 'demo', namespace: 'team-a' };

let calls: unknown[][];
let answers: Record<string, unknown>;
let clusters: TypedClient<Cluster>;
beforeEach(() => {
  calls = [];
  answers = {};
  const api = new Proxy({} as ResourceApi, {
    get:
      (_target, verb: string) =>
      async (...args: unknown[]) => {
        calls.push([verb, ...args]);
        const answer = answers[verb];
        if (answer instanceof Error) throw answer;
        return typeof answer === 'function' ? (answer as (...given: unknown[]) => unknown)(...args) : answer;
      },
  });
  clusters = new TypedClient(api, CLUSTER, CONTEXT);
});

const object = (name: string): KubeObject => ({ kind: 'Cluster', metadata: { name } }) as unknown as KubeObject;

describe('TypedClient', () => {
  it('finds an object, or undefined, and throws anything but NotFound', async () => {
    answers['get'] = object('demo');
    expect(await clusters.find('demo', 'team-a')).toBe(answers['get']);
    expect(calls).toEqual([['get', REF, CONTEXT]]);

    answers['get'] = notFound('clusters', 'demo');
    expect(await clusters.find('demo', 'team-a')).toBeUndefined();
    answers['get'] = unavailable('away');
    await expect(clusters.find('demo', 'team-a')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('names cluster-scoped objects without a namespace', async () => {
    await clusters.find('demo');
    expect(calls[0]?.[1]).toEqual({ ...TYPE, name: 'demo' });
  });

  it('lists every page, but only one when a limit is given', async () => {
    answers['list'] = (_type: unknown, options: ListOptions) =>
      options.continue === undefined
        ? { items: [object('a')], metadata: { continue: 'more' } }
        : { items: [object('b')], metadata: {} };

    expect((await clusters.list({ namespace: 'team-a' })).map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(calls.map(([, , options]) => options)).toEqual([
      { namespace: 'team-a' },
      { namespace: 'team-a', continue: 'more' },
    ]);
    expect(await clusters.list({ limit: 1 })).toHaveLength(1);
  });

  it('ensures by server-side apply under the manager, with kind and version filled in', async () => {
    answers['patch'] = { object: object('demo'), created: true, warnings: [] };
    const draft = { metadata: { name: 'demo', namespace: 'team-a' }, spec: { paused: true } };
    expect(await clusters.ensure(draft, 'me')).toEqual(object('demo'));
    expect(calls).toEqual([
      [
        'patch',
        REF,
        { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', ...draft },
        { type: 'apply', force: true, fieldManager: 'me' },
        CONTEXT,
      ],
    ]);
  });

  it('merges, and saves the status alone', async () => {
    answers['patch'] = answers['update'] = { object: object('demo') };
    await clusters.merge('demo', 'team-a', { spec: { paused: true } });
    const stored = { ...object('demo'), metadata: { name: 'demo', namespace: 'team-a', resourceVersion: '7' } };
    await clusters.saveStatus(stored as unknown as Cluster, { version: 'v1' });

    expect(calls).toEqual([
      ['patch', REF, { spec: { paused: true } }, { type: 'merge' }, CONTEXT],
      ['update', REF, { ...stored, status: { version: 'v1' } }, { subresource: 'status' }, CONTEXT],
    ]);
  });

  it('takes an absent object for removed', async () => {
    answers['remove'] = notFound('clusters', 'demo');
    expect(await clusters.remove('demo', 'team-a')).toBeUndefined();
    answers['remove'] = unavailable('away');
    await expect(clusters.remove('demo', 'team-a')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('watches until its signal, and acts under another trace when asked to', async () => {
    const { signal } = new AbortController();
    void clusters.watch({ resourceVersion: '7' }, signal);
    expect(calls).toEqual([['watch', TYPE, { resourceVersion: '7' }, { ...CONTEXT, signal }]]);

    await clusters.withContext({ traceId: 'other' }).find('demo');
    expect(calls[1]?.[2]).toEqual({ ...CONTEXT, traceId: 'other' });
  });
});
