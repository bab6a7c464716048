import { describe, expect, it } from '@jest/globals';
import { maskPlanDocument } from './plan-document.js';
import { plannedChanges } from './planned-changes.js';

type Change = Record<string, unknown>;

function changesOf(change: Change, resource: Record<string, unknown> = {}): ReturnType<typeof plannedChanges> {
  const document = {
    resource_changes: [{ address: 'a.b', type: 'a', name: 'b', mode: 'managed', ...resource, change }],
  };
  return plannedChanges(maskPlanDocument(document));
}

describe('plannedChanges', () => {
  it.each([
    { actions: ['create'], want: 'create' },
    { actions: ['update'], want: 'update' },
    { actions: ['delete'], want: 'destroy' },
    { actions: ['delete', 'create'], want: 'replace' },
    { actions: ['create', 'delete'], want: 'replace' },
    { actions: ['no-op'], want: undefined },
    { actions: ['read'], want: undefined },
    { actions: ['no-op'], importing: { id: 'i-1' }, want: 'import' },
  ])('calls $actions $want', ({ want, ...change }) => {
    expect(changesOf({ ...change, before: null, after: null }).resources[0]?.action).toBe(want);
  });

  it('leaves out what is only read', () => {
    expect(changesOf({ actions: ['create'] }, { mode: 'data' }).resources).toEqual([]);
  });

  it('shows what a new resource is going to have, and what is not known yet', () => {
    const after = { ami: 'ami-1', tags: { Name: 'x' }, empty: [], none: null };
    const change = { actions: ['create'], before: null, after, after_unknown: { id: true }, after_sensitive: {} };
    expect(changesOf(change).resources[0]?.changes).toEqual([
      { path: 'ami', after: 'ami-1' },
      { path: 'id', isUnknown: true },
      { path: 'tags', after: { Name: 'x' } },
    ]);
  });

  it('shows just what differs, deep inside, and what forces a replacement', () => {
    const change = {
      actions: ['delete', 'create'],
      before: { ami: 'ami-1', size: 1, tags: { Name: 'x', team: 'a' }, cidrs: ['a'] },
      after: { ami: 'ami-2', size: 1, tags: { Name: 'x', team: 'b' }, cidrs: ['a', 'b'] },
      replace_paths: [['ami']],
    };
    expect(changesOf(change).resources[0]?.changes).toEqual([
      { path: 'ami', before: 'ami-1', after: 'ami-2', forcesReplacement: true },
      { path: 'cidrs', before: ['a'], after: ['a', 'b'] },
      { path: 'tags.team', before: 'a', after: 'b' },
    ]);
  });

  it('shows a block as a whole, which forces a replacement where an attribute of it does', () => {
    const change = {
      actions: ['delete', 'create'],
      before: { root_block_device: [{ encrypted: false }], root_block_device_type: 'a' },
      after: { root_block_device: [{ encrypted: true }], root_block_device_type: 'b' },
      replace_paths: [['root_block_device', 0, 'encrypted']],
    };
    expect(changesOf(change).resources[0]?.changes).toEqual([
      {
        path: 'root_block_device',
        before: [{ encrypted: false }],
        after: [{ encrypted: true }],
        forcesReplacement: true,
      },
      { path: 'root_block_device_type', before: 'a', after: 'b' },
    ]);
  });

  it('masks what is sensitive, and says that it is', () => {
    const change = {
      actions: ['update'],
      before: { password: 'old', deep: { token: 'old', open: 1 } },
      after: { password: 'new', deep: { token: 'new', open: 2 } },
      before_sensitive: { password: true, deep: { token: true } },
      after_sensitive: { password: true, deep: { token: true } },
    };
    const { resources } = changesOf(change);
    expect(resources[0]?.changes).toEqual([
      { path: 'deep.open', before: 1, after: 2 },
      { path: 'deep.token', before: '(sensitive value)', after: '(sensitive value)', isSensitive: true },
      { path: 'password', before: '(sensitive value)', after: '(sensitive value)', isSensitive: true },
    ]);
    expect(JSON.stringify(resources)).not.toMatch(/old|new/);
  });

  it('takes secrets out that nothing marks', () => {
    const document = {
      resource_changes: [
        { address: 'a', type: 'a', name: 'b', change: { actions: ['create'], after: { script: 'login hunter2' } } },
      ],
    };
    const { resources } = plannedChanges(document, { redact: (text) => text.replaceAll('hunter2', '[redacted]') });
    expect(resources[0]?.changes).toEqual([{ path: 'script', after: 'login [redacted]' }]);
  });

  it('names every resource of a plan that is too large, and says how many it tells nothing more about', () => {
    const resource = (address: string): object => ({
      ...{ address, type: 'a', name: 'b' },
      change: { actions: ['create'], after: { text: 'x'.repeat(100) } },
    });
    const document = { resource_changes: ['a', 'b', 'c'].map(resource) };
    const { resources, omittedChanges } = plannedChanges(document, { maxCharacters: 300 });
    expect(resources.map(({ address, changes }) => [address, changes.length])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 0],
    ]);
    expect(omittedChanges).toBe(1);
  });
});
