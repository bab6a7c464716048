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
    const ended = new AbortController();
    const options = { resourceVersion: metadata.resourceVersion, allowWatchBookmarks: true };
    const events = api.watch(TYPE, options, { ...context, signal: ended.signal });
    const first = events[Symbol.asyncIterator]().next();
    ended.abort();
    expect((await first.catch(() => ({ done: true }))).done).toBe(true);
  });

  it.each([
    { verb: 'list', want: 'everyone' },
    { verb: 'create', want: 'nobody' },
    { verb: 'delete', want: 'nobody' },
  ])('$verb: $want', ({ verb, want }) => {
    expect(leastRole({ verb, group: TYPE.group, resource: TYPE.plural })).toBe(want);
  });
});
