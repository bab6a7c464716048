import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PROJECT, type KubeObject } from '@crate/api';
import { unavailable } from '@crate/errors';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { eventually } from '@crate/testing';
import { aProject, person } from '../testing/a-project.js';
import { ProjectFollower, type ProjectFollowerOptions } from './project-follower.js';
import { ProjectMembers } from './project-members.js';

const ANNA = person('anna');
const KEY = { group: PROJECT.group, kind: PROJECT.kind, namespace: '', name: 'team-a' };

let store: InMemoryResourceStore;
let members: ProjectMembers;
let follower: ProjectFollower | undefined;
beforeEach(() => {
  store = new InMemoryResourceStore();
});
afterEach(async () => {
  await follower?.stop();
  await store.close();
});

function project(role?: string): KubeObject {
  const { metadata: _system, ...rest } = aProject('team-a', {
    members: role === undefined ? [] : [{ kind: 'User', name: 'anna', role }],
  });
  return { ...rest, metadata: { name: 'team-a' } as KubeObject['metadata'] };
}

async function start(change: Partial<ProjectFollowerOptions['store']> = {}, now?: () => number): Promise<void> {
  members = new ProjectMembers(now);
  const changed = new Proxy(store, {
    get: (target, property) => {
      const value: unknown = Reflect.get(change, property) ?? Reflect.get(target, property);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  follower = new ProjectFollower({ store: changed, members, logger: new InMemoryLogger(), ...(now ? { now } : {}) });
  await follower.start();
}

describe('ProjectFollower', () => {
  it('knows all members from the start, and every change of them at once', async () => {
    const stored = await store.create(project('viewer'));
    await start();
    expect(members.roleOf(ANNA, 'team-a')).toBe('viewer');

    await store.update({ ...stored, spec: project('admin')['spec'] });
    await eventually(() => expect(members.roleOf(ANNA, 'team-a')).toBe('admin'));
    await store.remove(KEY);
    await eventually(() => expect(members.roleOf(ANNA, 'team-a')).toBeUndefined());
  });

  it('reads everything anew when the watch fails, and misses nothing that came meanwhile', async () => {
    await store.create(project('viewer'));
    let watches = 0;
    const watch: InMemoryResourceStore['watch'] = (query, options) => {
      watches += 1;
      if (watches > 1) return store.watch(query, options);
      return (async function* () {
        await Promise.resolve();
        throw unavailable('cut off');
        yield* store.watch(query, options);
      })();
    };
    await start({ watch });
    await store.remove(KEY);
    await eventually(() => expect(members.roleOf(ANNA, 'team-a')).toBeUndefined());
    expect(watches).toBe(2);
  });

  it.each<{ reason: string; broken: Partial<ProjectFollowerOptions['store']> }>([
    { reason: 'the store does not answer', broken: { currentRevision: () => Promise.reject(unavailable('away')) } },
    {
      reason: 'the watch does not move on',
      broken: {
        watch: (_query, { signal }) => ({
          [Symbol.asyncIterator]: () => ({
            next: () =>
              new Promise((resolve) =>
                signal.addEventListener('abort', () => resolve({ done: true, value: undefined })),
              ),
          }),
        }),
      },
    },
  ])('judges nobody for long when $reason', async ({ broken }) => {
    let nowMs = 0;
    await store.create(project('viewer'));
    await start(broken, () => nowMs);
    expect(members.roleOf(ANNA, 'team-a')).toBe('viewer');
    await store.update({ ...(await store.find(KEY)), spec: project()['spec'] } as KubeObject);
    nowMs = 16_000;
    expect(() => members.roleOf(ANNA, 'team-a')).toThrow(expect.objectContaining({ code: 'Unavailable' }));
  });

  it('goes on judging as long as the store answers', async () => {
    let nowMs = 0;
    await store.create(project('viewer'));
    await start({}, () => nowMs);
    nowMs = 16_000;
    await eventually(() => expect(members.roleOf(ANNA, 'team-a')).toBe('viewer'));
  });
});
