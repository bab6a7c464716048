import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { renderHook, waitFor } from '@testing-library/react';
import { PlayedApi } from '../testing/played-api.js';
import type { Liveness } from './live-list.js';
import { collectionPath, KINDS } from './paths.js';
import { forgetLiveLists, useLiveObject } from './use-live.js';

const api = new PlayedApi();
const MANY = Array.from({ length: 51 }, (_, index) => `cluster-${index}`);

beforeEach(() => {
  api.install();
  api.list(collectionPath(KINDS.cluster, 'team-a'), []);
});
afterEach(() => {
  forgetLiveLists();
  api.remove();
});

interface Look {
  /** How current it was before anybody could answer. */
  readonly first: Liveness;
  readonly leave: () => void;
}

async function lookAt(name: string): Promise<Look> {
  const { result, unmount } = renderHook(() => useLiveObject(KINDS.cluster, name, 'team-a'));
  const first = result.current.liveness;
  await waitFor(() => expect(result.current.liveness).toBe('live'));
  return { first, leave: unmount };
}

/** Whether it was still known. */
async function glanceAt(name: string): Promise<boolean> {
  const { first, leave } = await lookAt(name);
  leave();
  return first === 'live';
}

describe('useLiveObject', () => {
  it('knows at once what was looked at lately, and forgets what was before that', async () => {
    for (const name of MANY) expect(await glanceAt(name)).toBe(false);
    expect(await glanceAt('cluster-1')).toBe(true);
    expect(await glanceAt('cluster-0')).toBe(false);
    // It was the last one to be looked at again.
    expect(await glanceAt('cluster-1')).toBe(true);
    expect(await glanceAt('cluster-2')).toBe(false);
  });

  it('forgets nothing that somebody looks at', async () => {
    const { leave } = await lookAt('open');
    for (const name of MANY) await glanceAt(name);
    expect(await glanceAt('open')).toBe(true);
    leave();
    expect(await glanceAt('open')).toBe(true);
  });

  it('remembers nothing of who was signed in before, whenever its page goes', async () => {
    const { leave } = await lookAt('open');
    forgetLiveLists();
    leave();
    expect(await glanceAt('open')).toBe(false);
  });
});
