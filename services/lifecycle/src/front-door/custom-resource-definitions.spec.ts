import { describe, expect, it } from '@jest/globals';
import { leastRole } from '../access/permissions.js';
import { noCustomResourceDefinitions } from './custom-resource-definitions.js';

const TYPE = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

describe('CustomResourceDefinitions', () => {
  const { kind, api } = noCustomResourceDefinitions();
  const context = { caller: { user: 'ada', groups: [] }, traceId: 't' };

  it('are a kind that clients find, can list, and find nothing in', async () => {
    expect(kind).toMatchObject({ ...TYPE, namespaced: false, verbs: ['get', 'list', 'watch'] });
    expect(await api.list(TYPE, {}, context)).toMatchObject({
      kind: 'CustomResourceDefinitionList',
      apiVersion: 'apiextensions.k8s.io/v1',
      items: [],
    });
    await expect(api.get({ ...TYPE, name: 'clusters.lifecycle.crate.dev' }, context)).rejects.toMatchObject({
      code: 'NotFound',
    });
  });

  it('can be watched from the list on, as Argo CD does', async () => {
    const { metadata } = await api.list(TYPE, {}, context);
    // client-go watches on from no list whose revision is "0".
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(0);
    const ended = new AbortController();
    const options = { resourceVersion: metadata.resourceVersion, sendInitialEvents: true, allowBookmarks: true };
    const events = api.watch(TYPE, options, { ...context, signal: ended.signal })[Symbol.asyncIterator]();
    const bookmark = { metadata: { resourceVersion: metadata.resourceVersion } };
    expect(await events.next()).toMatchObject({ done: false, value: { type: 'BOOKMARK', object: bookmark } });
    const next = events.next();
    ended.abort();
    expect(await next).toMatchObject({ done: true });
  });

  it.each([
    { verb: 'list', want: 'everyone' },
    { verb: 'create', want: 'nobody' },
    { verb: 'delete', want: 'nobody' },
  ])('$verb: $want', ({ verb, want }) => {
    expect(leastRole({ verb, group: TYPE.group, resource: TYPE.plural })).toBe(want);
  });
});
