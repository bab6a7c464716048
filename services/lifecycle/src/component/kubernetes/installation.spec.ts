import { describe, expect, it } from '@jest/globals';
import { aPod, aRecord, aStatefulSet, imageOfVersion, imageOwner } from '../testing/a-stateful-set.js';
import { installationOf, type Seen } from './installation.js';

const NOW = new Date('2026-11-22T12:00:00Z');
const DIGEST = `registry.example.com/crate/crate-policy-mgmt@sha256:${'0'.repeat(64)}`;

function seen(changes: Partial<Seen> = {}): ReturnType<typeof installationOf> {
  const pods = [aPod(0, '1.0.0'), aPod(1, '1.0.0')];
  return installationOf({ component: 'policy-mgmt', set: aStatefulSet(), pods, now: NOW, ...changes });
}

describe('what is installed', () => {
  it('is what the set says, and its pods', () => {
    expect(seen()).toEqual({
      version: '1.0.0',
      slots: [0, 1].map((index) => ({
        ...{ name: `crate-policy-mgmt-${index}`, version: '1.0.0', isReady: true, restarts: 0, isCanary: false },
      })),
      present: 'Fetched',
      isCanaryOneOfThem: true,
      isUnderWay: false,
    });
    expect(seen({ set: aStatefulSet({ record: aRecord('Canary') }) }).isUnderWay).toBe(true);
  });

  it.each<{ name: string; set: Parameters<typeof aStatefulSet>[0]; want: string }>([
    { name: 'the tag of its image', set: {}, want: '1.0.0' },
    { name: 'that of the chart where there is a digest and no tag', set: { image: DIGEST }, want: '1.0.0' },
    { name: 'that of the chart where the tag is none', set: { image: imageOfVersion('nightly') }, want: '1.0.0' },
    {
      name: 'the one before while an upgrade is under way',
      set: { image: imageOfVersion('1.1.0'), record: aRecord('All') },
      want: '1.0.0',
    },
    {
      name: 'what somebody put in the place of an upgrade',
      set: { image: imageOfVersion('1.2.0'), record: aRecord('Canary') },
      want: '1.2.0',
    },
  ])('has as its version $name', ({ set, want }) => {
    expect(seen({ set: aStatefulSet(set) }).version).toBe(want);
  });

  it('has a place for a pod that is being replaced, which is not ready', () => {
    expect(seen({ pods: [aPod(1, '1.1.0')] }).slots).toMatchObject([
      { name: 'crate-policy-mgmt-0', version: '', isReady: false },
      { name: 'crate-policy-mgmt-1', version: '1.1.0', isReady: true },
    ]);
  });

  it('does not count a pod as ready that is on its way out', () => {
    const leaving = aPod(1, '1.0.0');
    leaving.metadata.deletionTimestamp = '2026-11-22T11:59:59Z';
    expect(seen({ pods: [leaving] }).slots[1]?.isReady).toBe(false);
  });

  it('has its canary from the partition on, until all are meant', () => {
    const canaries = (stage: 'Canary' | 'All', replicas: number): readonly boolean[] =>
      seen({ set: aStatefulSet({ replicas, partition: 1, record: aRecord(stage) }) }).slots.map(
        (slot) => slot.isCanary,
      );
    expect([canaries('Canary', 2), canaries('All', 2)]).toEqual([
      [false, true],
      [false, false],
    ]);
  });

  it('knows an image without a version in it by what the upgrade remembers', () => {
    const pod = aPod(0, '1.0.0');
    const pods = [{ ...pod, spec: { containers: [{ name: 'policy-mgmt', image: DIGEST }] } }];
    const set = aStatefulSet({ image: imageOfVersion('1.1.0'), record: aRecord('Canary', DIGEST) });
    expect(seen({ pods, set }).slots[0]?.version).toBe('1.0.0');
  });

  const terminated = { exitCode: 1, reason: 'Error' };
  it.each<{ name: string; container: Parameters<typeof aPod>[2]; words?: string; restarts: number }>([
    {
      name: 'an image that cannot be pulled',
      container: { isReady: false, state: { waiting: { reason: 'ImagePullBackOff', message: 'Not there' } } },
      words: 'ImagePullBackOff: Not there',
      restarts: 0,
    },
    {
      name: 'how it ended',
      container: {
        restartCount: 3,
        lastState: { terminated: { ...terminated, message: 'No table', finishedAt: '2026-11-22T11:59:00Z' } },
      },
      words: 'Error: exit code 1: No table',
      restarts: 3,
    },
    {
      name: 'no restart of long ago',
      container: { restartCount: 9, lastState: { terminated: { ...terminated, finishedAt: '2026-11-22T11:00:00Z' } } },
      words: 'Error: exit code 1',
      restarts: 0,
    },
    {
      name: 'nothing of a start that takes its time',
      container: { isReady: false, state: { waiting: { reason: 'ContainerCreating' } } },
      restarts: 0,
    },
  ])('tells of a pod $name', ({ container, words, restarts }) => {
    const [slot] = seen({ pods: [aPod(0, '1.0.0', container)] }).slots;
    expect([slot?.lastWords, slot?.restarts, slot?.isReady]).toEqual([words, restarts, container?.isReady ?? true]);
  });

  it.each([
    { name: 'nobody else', owners: [imageOwner('helm'), imageOwner('crate-components', { operation: 'Apply' })] },
    { name: 'Helm', owners: [imageOwner('helm')], want: 'helm' },
    {
      name: 'the last of several',
      owners: [imageOwner('kubectl-edit', { time: '2026-11-21T00:00:00Z' }), imageOwner('helm')],
      want: 'kubectl-edit',
    },
    { name: 'nobody where nothing is kept', owners: [] },
  ])('was set by $name', ({ owners, want }) => {
    expect(seen({ set: aStatefulSet({ managedFields: owners }) }).setBy).toBe(want);
  });
});
