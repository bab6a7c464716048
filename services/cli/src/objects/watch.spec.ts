import { describe, expect, it } from '@jest/globals';
import { notFound, toStatus, PlatformError, unavailable } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import type { ServedKind } from './served-kinds.js';
import { watchChanges } from './watch.js';

const KIND: ServedKind = {
  group: 'lifecycle.crate.dev',
  version: 'v1alpha1',
  kind: 'Cluster',
  plural: 'clusters',
  singular: 'cluster',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['watch'],
  subresources: [],
};

interface Given {
  readonly lines: readonly object[];
  /** What the connection ends with, where it does not end by itself. */
  readonly error?: Error;
}

/** An API whose connections bring these lines, one after the other; and the revisions that they were begun behind. */
function apiOf(connections: readonly Given[]): { readonly api: ApiClient; readonly revisions: string[] } {
  const left = [...connections];
  const revisions: string[] = [];
  async function* lines(path: string): AsyncGenerator<string> {
    revisions.push(new URLSearchParams(path.split('?')[1]).get('resourceVersion') ?? '');
    const given = left.shift();
    if (!given) throw new PlatformError('Forbidden', 'The right to look has ended');
    for (const line of given.lines) yield JSON.stringify(line);
    if (given.error) throw given.error;
  }
  return { api: { lines } as unknown as ApiClient, revisions };
}

const event = (type: string, resourceVersion: string): object => ({ type, object: { metadata: { resourceVersion } } });

async function all(api: ApiClient): Promise<{ readonly seen: readonly string[]; readonly ended: unknown }> {
  const seen: string[] = [];
  try {
    for await (const { type, object } of watchChanges(api, { kind: KIND, resourceVersion: '1' }, 0)) {
      seen.push(`${type} ${object.metadata.resourceVersion}`);
    }
    return { seen, ended: undefined };
  } catch (error) {
    return { seen, ended: error };
  }
}

describe('a watch', () => {
  it('goes on behind what it saw, bookmarks too, whether a connection ends or breaks', async () => {
    const { api, revisions } = apiOf([
      { lines: [event('ADDED', '3'), event('BOOKMARK', '9')] },
      { lines: [event('MODIFIED', '12')], error: unavailable('Broken off') },
      { lines: [], error: new PlatformError('TooManyRequests', 'Busy') },
      { lines: [event('DELETED', '13')] },
    ]);
    const { seen, ended } = await all(api);
    expect(seen).toEqual(['ADDED 3', 'MODIFIED 12', 'DELETED 13']);
    expect(revisions).toEqual(['1', '9', '12', '12', '13']);
    expect(ended).toMatchObject({ code: 'Forbidden' });
  });

  it('goes on when the path leads nowhere for a while, as while its owner restarts', async () => {
    const { api, revisions } = apiOf([
      { lines: [event('ADDED', '3')] },
      { lines: [], error: new PlatformError('NotFound', 'the server could not find the requested resource') },
      { lines: [event('MODIFIED', '4')] },
    ]);
    expect((await all(api)).seen).toEqual(['ADDED 3', 'MODIFIED 4']);
    expect(revisions).toEqual(['1', '3', '3', '4']);
  });

  it('ends when what it is about is not there', async () => {
    const { api, revisions } = apiOf([{ lines: [], error: notFound('Project', 'team-a') }]);
    expect((await all(api)).ended).toMatchObject({ code: 'NotFound' });
    expect(revisions).toEqual(['1']);
  });

  it('knows the revision of a table by its row', async () => {
    const rows = [{ cells: [], object: { metadata: { resourceVersion: '7' } } }];
    const { api, revisions } = apiOf([{ lines: [{ type: 'ADDED', object: { kind: 'Table', metadata: {}, rows } }] }]);
    await all(api);
    expect(revisions).toEqual(['1', '7']);
  });

  it('says when what it asked for is too old', async () => {
    const object = toStatus(new PlatformError('Gone', 'Too old'));
    const { api } = apiOf([{ lines: [{ type: 'ERROR', object }] }]);
    expect((await all(api)).ended).toMatchObject({ code: 'Gone' });
  });
});
