import { beforeEach, describe, expect, it } from '@jest/globals';
import { isConditionTrue, findCondition, type Cluster, type Failure } from '@crate/api';
import { forbidden, invalidSpec, unavailable } from '@crate/errors';
import type { ResourceApi } from '@crate/resource-client';
import type { AdmissionHook } from '@crate/resource-server';
import { versionCauses } from '../cluster/cluster.versions.js';
import { APPROVED_PLAN_ANNOTATION, markText } from '../plan/approved-plan.js';
import { newer, standard } from '../testing/a-class.js';
import { ClassBench, OWN_SPEC } from '../testing/class-bench.js';
import { Killer } from '../testing/killer.js';
import { MOVE_ANNOTATION } from './class-marks.js';

const SHORT = { ...OWN_SPEC, classRef: { name: 'standard' }, parameters: { size: 'small' } };
const FAILURE: Failure = { code: 'QuotaExceeded', message: 'No', retryable: true };
const NAMES = ['a', 'b', 'c', 'd'];

async function aBench(spec: Record<string, unknown>, bench = new ClassBench()): Promise<ClassBench> {
  await bench.writeClass('standard', { ...standard(), ...pick(spec) });
  for (const name of NAMES) await bench.settle(await bench.applyCluster(name, SHORT));
  await bench.writeClass('standard', newer(spec));
  return bench;
}

/** Settings that are no part of what clusters are made of. */
function pick({ rollout }: Record<string, unknown>): Record<string, unknown> {
  return rollout === undefined ? {} : { rollout };
}

async function revisions(bench: ClassBench): Promise<string> {
  const clusters = await Promise.all(NAMES.map((name) => bench.cluster(name)));
  return clusters.map(({ spec }) => spec.classRef?.revision ?? '-').join('');
}

/** Lets what was moved become ready. */
async function settleAll(bench: ClassBench): Promise<void> {
  for (const cluster of await bench.clusters.list()) {
    if (!isConditionTrue(cluster.status?.conditions, 'Ready', cluster.metadata.generation)) await bench.settle(cluster);
  }
}

describe('a class', () => {
  it('records its first revision though nobody uses it, and settles', async () => {
    const bench = new ClassBench();
    await bench.writeClass('standard', standard());
    expect(await bench.pass('standard')).toEqual({ kind: 'settled' });
    const { status } = await bench.theClass('standard');
    expect(status).toMatchObject({ revision: 1, observedGeneration: 1, clusters: { total: 0 } });
    expect(isConditionTrue(status?.conditions, 'Ready', 1)).toBe(true);
    expect(isConditionTrue(status?.conditions, 'RolledOut', 1)).toBe(true);
  });

  it('that is gone is forgotten', async () => {
    expect(await new ClassBench().pass('nothing')).toEqual({ kind: 'settled', isGone: true });
  });

  it('counts no new revision when only its rollout changes, or when it is as it was', async () => {
    const bench = await aBench({});
    await bench.pass('standard');
    await bench.writeClass('standard', newer({ rollout: { paused: true } }));
    await bench.pass('standard');
    expect((await bench.revisions.list()).map(({ metadata }) => metadata.name)).toEqual(['standard-1', 'standard-2']);
  });

  it('tells how many clusters its newest revision would change where, and names none', async () => {
    const bench = await aBench({});
    await bench.applyCluster('b', { ...SHORT, kubernetes: { version: 'v1.31.4' } });
    await bench.applyCluster('c', { ...SHORT, classRef: { name: 'standard', revision: 1 } });
    await bench.pass('standard');
    const { status } = await bench.theClass('standard');
    expect(status).toMatchObject({
      revision: 2,
      clusters: { total: 4, upToDate: 0, outdated: 3, pinned: 1, moving: 0, failing: 0 },
      pendingChanges: [{ field: 'spec.kubernetes.version', clusters: 3 }],
    });
    expect(JSON.stringify(status)).not.toContain('team-a');
    expect(findCondition(status?.conditions, 'RolledOut')).toMatchObject({
      status: 'False',
      reason: 'Manual',
      message: '3 clusters to move, 0 moving, 0 failing, 1 pinned; a cluster moves when it is told to',
    });
  });

  it('forgets the oldest revisions that nobody uses, beyond those that are kept', async () => {
    const bench = await aBench({ revisionHistoryLimit: 1 });
    for (const version of ['v1.30.8', 'v1.30.12', 'v1.32.4']) {
      await bench.writeClass('standard', standard({ kubernetes: { version } }, { revisionHistoryLimit: 1 }));
      await bench.pass('standard');
    }
    expect((await bench.revisions.list()).map(({ spec }) => spec.revision)).toEqual([1, 3, 4]);
  });
});

describe('a manual rollout', () => {
  it('moves nobody', async () => {
    const bench = await aBench({});
    expect(await bench.pass('standard')).toEqual({ kind: 'settled' });
    expect(await revisions(bench)).toBe('1111');
  });
});

describe('an automatic rollout', () => {
  it('moves as many clusters at a time as it may, each after another is ready, in order', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxConcurrent: 2 } });
    expect(await bench.pass('standard')).toMatchObject({ kind: 'waiting', reason: 'RollingOut' });
    expect(await revisions(bench)).toBe('2211');
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2211');
    await bench.settle(await bench.cluster('b'));
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2221');
    await settleAll(bench);
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2222');
    await settleAll(bench);
    expect(await bench.pass('standard')).toEqual({ kind: 'settled' });
    const { status } = await bench.theClass('standard');
    expect(status?.clusters).toMatchObject({ total: 4, upToDate: 4 });
    expect(isConditionTrue(status?.conditions, 'RolledOut')).toBe(true);
  });

  it('has no more under way than it may when the class changes in the middle of it', async () => {
    const rollout = { strategy: 'Automatic', maxConcurrent: 1 };
    const bench = await aBench({ rollout });
    await bench.pass('standard');
    await bench.settle(await bench.cluster('a'));
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2211');
    await bench.writeClass('standard', standard({ kubernetes: { version: 'v1.32.4' } }, { rollout }));
    await bench.pass('standard');
    // The one that is on its way goes on to the newest, and the others wait for it.
    expect(await revisions(bench)).toBe('2311');
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2311');
    await bench.settle(await bench.cluster('b'));
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('3311');
  });

  it('stops while more fail than may, and goes on when they are well again', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic' } });
    await bench.pass('standard');
    await bench.settle(await bench.cluster('a'), FAILURE);
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2111');
    const { status } = await bench.theClass('standard');
    expect(findCondition(status?.conditions, 'RolledOut')).toMatchObject({ reason: 'TooManyFailures' });
    await bench.settle(await bench.cluster('a'));
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2211');
  });

  it('goes on past as many failures as may be', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxFailures: 1 } });
    await bench.pass('standard');
    await bench.settle(await bench.cluster('a'), FAILURE);
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2211');
  });

  it.each([
    {
      where: 'fails where it was moved, which is tried again',
      leave: async (bench: ClassBench) => bench.settle(await bench.cluster('a'), FAILURE),
      then: 'RollingOut',
    },
    {
      where: 'was taken back, and is to stay',
      leave: async (bench: ClassBench) => move(bench, 'a', '1'),
      then: 'Stalled',
    },
  ])('is $then when all others are there and one $where', async ({ leave, then }) => {
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxConcurrent: 4, maxFailures: 1 } });
    await bench.pass('standard');
    for (const name of ['b', 'c', 'd']) await bench.settle(await bench.cluster(name));
    await leave(bench);
    if (then === 'Stalled') await settleAll(bench);
    expect(await bench.pass('standard')).toEqual({ kind: 'settled' });
    const { status } = await bench.theClass('standard');
    expect(status?.clusters).toMatchObject({ upToDate: 3, failing: 1 });
    expect(findCondition(status?.conditions, 'RolledOut')?.reason).toBe(then);
  });

  it('is going on while what cannot be moved goes away', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxConcurrent: 4 } });
    await bench.mergeCluster('a', { metadata: { finalizers: ['test/held'] } });
    await bench.settle(await bench.cluster('a'));
    await bench.clusters.remove('a', 'team-a');
    await bench.pass('standard');
    await settleAll(bench);
    await bench.pass('standard');
    const { status } = await bench.theClass('standard');
    expect(status?.clusters).toMatchObject({ outdated: 1, upToDate: 3 });
    expect(findCondition(status?.conditions, 'RolledOut')?.reason).toBe('RollingOut');
  });

  it('says nothing of a pass that was cut off', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic' } });
    const cutOff = new Error('The lease is lost');
    expect(await bench.pass('standard', AbortSignal.abort(cutOff))).toBe(cutOff);
    expect(await revisions(bench)).toBe('1111');
    const { status } = await bench.theClass('standard');
    expect(findCondition(status?.conditions, 'RolledOut')?.reason).not.toBe('Stalled');
  });

  it('takes no failure from before the move for one of it', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic' } });
    await bench.settle(await bench.cluster('a'), FAILURE);
    await bench.pass('standard');
    await bench.pass('standard');
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ moving: 1, failing: 0 });
  });

  it('stops at a cluster that admission refuses to move', async () => {
    const refuse: AdmissionHook = ({ object, operation }) =>
      operation === 'UPDATE' && object.metadata.name === 'b' ? Promise.reject(forbidden('No')) : Promise.resolve();
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxConcurrent: 4 } }, new ClassBench([refuse]));
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2111');
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ failing: 1, outdated: 3 });
  });

  it('says what it waits for while nobody can judge a move, and counts what moved before', async () => {
    const away = unavailable('policy-mgmt does not answer');
    let isAway = true;
    const judge: AdmissionHook = ({ object, operation }) =>
      isAway && operation === 'UPDATE' && object.metadata.name === 'b' ? Promise.reject(away) : Promise.resolve();
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxConcurrent: 4 } }, new ClassBench([judge]));
    expect(await bench.pass('standard')).toMatchObject({ code: 'Unavailable' });
    expect(await bench.pass('standard')).toMatchObject({ code: 'Unavailable' });
    expect(await revisions(bench)).toBe('2111');
    const { status } = await bench.theClass('standard');
    expect(status).toMatchObject({ revision: 2, clusters: { moving: 1, outdated: 3 } });
    expect(findCondition(status?.conditions, 'Synced')).toMatchObject({
      status: 'False',
      reason: 'ReconcileError',
      message: 'The rollout waits: policy-mgmt does not answer',
      observedGeneration: 2,
    });
    expect(findCondition(status?.conditions, 'RolledOut')?.reason).toBe('RollingOut');
    const told = { kind: 'ClusterClass', name: 'standard', reason: 'Unavailable', traceId: 'trace' };
    expect(bench.events.events).toMatchObject([told, told]);
    isAway = false;
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2222');
    const after = (await bench.theClass('standard')).status;
    expect(after?.observedGeneration).toBe(2);
    expect(isConditionTrue(after?.conditions, 'Synced', 2)).toBe(true);
  });

  describe('that admission refuses a move of', () => {
    const REFUSED = 'The quota of machines is used up';
    let isRefused = true;
    let bench: ClassBench;
    beforeEach(async () => {
      isRefused = true;
      const refuse: AdmissionHook = ({ object, operation }) =>
        isRefused && operation === 'UPDATE' && object.metadata.name === 'a'
          ? Promise.reject(forbidden(REFUSED))
          : Promise.resolve();
      bench = await aBench({ rollout: { strategy: 'Automatic' } }, new ClassBench([refuse]));
    });

    it('says which and why where those look who may know', async () => {
      await bench.pass('standard');
      const { status } = await bench.cluster('a');
      expect(status?.class).toMatchObject({
        revision: 1,
        newestRevision: 2,
        refused: { revision: 2, message: REFUSED },
      });
      expect(findCondition(status?.conditions, 'ClassUpToDate')).toMatchObject({
        status: 'False',
        reason: 'Refused',
        message: `The move to revision 2 was refused: ${REFUSED}`,
      });
      expect(isConditionTrue(status?.conditions, 'Ready', 1)).toBe(true);
      expect(await bench.clustersOf('standard')).toMatchObject({
        clusters: [
          { name: 'a', standing: 'failing', refusal: REFUSED },
          { name: 'b', standing: 'outdated' },
          { name: 'c', standing: 'outdated' },
          { name: 'd', standing: 'outdated' },
        ],
      });
    });

    it('tells it once, and asks again though nothing changes here', async () => {
      expect(await bench.pass('standard')).toMatchObject({ kind: 'waiting', reason: 'MovesRefused' });
      const before = await bench.store.currentRevision();
      expect(await bench.pass('standard')).toMatchObject({ kind: 'waiting', reason: 'MovesRefused' });
      expect(await bench.store.currentRevision()).toBe(before);
      expect(bench.events.events).toMatchObject([
        { name: 'a', reason: 'ClassMoveRefused', message: expect.stringContaining(REFUSED) },
      ]);
      isRefused = false;
      await bench.pass('standard');
      expect(await revisions(bench)).toBe('2111');
      expect(await bench.clustersOf('standard')).toMatchObject({ clusters: [{ standing: 'moving' }, {}, {}, {}] });
    });
  });

  it('begins with nobody when one of them breaks a constraint of the newest revision', async () => {
    const rollout = { strategy: 'Automatic', maxConcurrent: 4 };
    const bench = await aBench({ rollout });
    await bench.mergeCluster('c', { spec: { parameters: { workers: 5 } } });
    const constraints = [{ expression: 'params.workers < 4', message: 'Too many', field: 'spec.parameters.workers' }];
    await bench.writeClass('standard', newer({ rollout, constraints }));
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('1111');
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ failing: 1, outdated: 3 });
  });

  it('does not take a cluster past a version that it is on its way to, and goes on once it is there', async () => {
    const rollout = { strategy: 'Automatic', maxConcurrent: 1 };
    const at = (version: string): Record<string, unknown> => standard({ kubernetes: { version } }, { rollout });
    const admit: AdmissionHook = ({ object, oldObject }) => {
      const causes = versionCauses(object as Cluster, oldObject as Cluster | undefined);
      return causes.length > 0 ? Promise.reject(invalidSpec('No', causes)) : Promise.resolve();
    };
    const bench = new ClassBench([admit]);
    await bench.writeClass('standard', at('v1.30.12'));
    const runs = async (version: string): Promise<void> => {
      const cluster = await bench.cluster('a');
      await bench.settle(cluster);
      const { status } = await bench.cluster('a');
      await bench.clusters.saveStatus(await bench.cluster('a'), { ...status, version });
    };
    await bench.applyCluster('a', SHORT);
    await runs('v1.30.12');
    for (const version of ['v1.31.4', 'v1.32.4']) {
      await bench.writeClass('standard', at(version));
      await bench.pass('standard');
    }
    expect((await bench.cluster('a')).spec.kubernetes.version).toBe('v1.31.4');
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ outdated: 1, failing: 0 });
    await runs('v1.31.4');
    await bench.pass('standard');
    expect((await bench.cluster('a')).spec.kubernetes.version).toBe('v1.32.4');
  });

  it('begins with nobody when the newest revision cannot take one of them', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic' } });
    const parameters = { type: 'object', properties: { size: { type: 'string', enum: ['large'] } } };
    const template = { kubernetes: { version: 'v1.31.8' } };
    await bench.writeClass('standard', { parameters, template, rollout: { strategy: 'Automatic', maxConcurrent: 4 } });
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('1111');
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ failing: 4 });
  });

  it('is not held up by a paused cluster that the newest revision cannot take', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxConcurrent: 4 } });
    await bench.mergeCluster('a', { spec: { parameters: { size: 'large' }, paused: true } });
    const parameters = { type: 'object', properties: { size: { type: 'string', enum: ['small'] } } };
    const template = { kubernetes: { version: 'v1.31.8' } };
    await bench.writeClass('standard', { parameters, template, rollout: { strategy: 'Automatic', maxConcurrent: 4 } });
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('1333');
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ outdated: 4, failing: 0 });
  });

  it.each([
    { name: 'one that is paused', prepare: (bench: ClassBench) => bench.mergeCluster('a', { spec: { paused: true } }) },
    {
      name: 'one that states its revision',
      prepare: (bench: ClassBench) =>
        bench.applyCluster('a', { ...SHORT, classRef: { name: 'standard', revision: 1 } }),
    },
    { name: 'one that was told to be what it is', prepare: (bench: ClassBench) => move(bench, 'a', '1') },
    { name: 'one that a plan is carried out in', prepare: (bench: ClassBench) => mark(bench, 1) },
    {
      name: 'one that states its revision in a patch',
      prepare: (bench: ClassBench) => bench.mergeCluster('a', { spec: { classRef: { revision: 1 } } }),
    },
  ])('leaves $name alone', async ({ prepare }) => {
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxConcurrent: 4 } });
    await prepare(bench);
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('1222');
  });

  describe('that somebody moves a cluster back in', () => {
    let bench: ClassBench;
    beforeEach(async () => {
      bench = await aBench({ rollout: { strategy: 'Automatic' } });
      await bench.pass('standard');
    });

    it('stays stopped where the cluster was not well, until there is a newer revision', async () => {
      await bench.settle(await bench.cluster('a'), FAILURE);
      await move(bench, 'a', '1');
      await settleAll(bench);
      expect(await bench.pass('standard')).toEqual({ kind: 'settled' });
      expect(await revisions(bench)).toBe('1111');
      expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ outdated: 3, failing: 1, pinned: 0 });
      expect(await bench.clustersOf('standard')).toMatchObject({
        clusters: [{ standing: 'failing', hindrance: expect.stringContaining('taken back') }, {}, {}, {}],
      });
      await bench.writeClass('standard', standard({ addOns: [] }, { rollout: { strategy: 'Automatic' } }));
      await bench.pass('standard');
      expect(await revisions(bench)).toBe('3111');
    });

    it.each([
      { how: 'by telling it so', back: () => move(bench, 'a', '1') },
      { how: 'by a plan', back: () => bench.clusters.merge('a', 'team-a', { spec: { classRef: { revision: 1 } } }) },
    ])('goes on with the others where it was well, $how, and leaves it there', async ({ back }) => {
      await settleAll(bench);
      await back();
      await settleAll(bench);
      await bench.pass('standard');
      expect(await revisions(bench)).toBe('1211');
      expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ pinned: 1, failing: 0 });
    });

    it('takes it along again once it was told to go to the newest', async () => {
      await settleAll(bench);
      await move(bench, 'a', '1');
      await move(bench, 'a', 'newest');
      await settleAll(bench);
      await bench.writeClass('standard', standard({ addOns: [] }, { rollout: { strategy: 'Automatic' } }));
      await bench.pass('standard');
      expect(await revisions(bench)).toBe('3111');
    });
  });

  it('takes one that a plan was carried out in once its spec is another', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxConcurrent: 4 } });
    await mark(bench, 0);
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2222');
  });

  it('is not held up by one that a plan is carried out in and that the newest revision cannot take', async () => {
    const rollout = { strategy: 'Automatic', maxConcurrent: 4 };
    const bench = await aBench({ rollout });
    await bench.mergeCluster('a', { spec: { parameters: { size: 'large' } } });
    await mark(bench, (await bench.cluster('a')).metadata.generation);
    const parameters = { type: 'object', properties: { size: { type: 'string', enum: ['small'] } } };
    await bench.writeClass('standard', { parameters, template: { kubernetes: { version: 'v1.31.8' } }, rollout });
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('1333');
  });

  it('does not wait for one that was moved before and is paused', async () => {
    const rollout = { strategy: 'Automatic', maxConcurrent: 1 };
    const bench = await aBench({ rollout });
    for (let turn = 0; turn < NAMES.length; turn += 1) {
      await bench.pass('standard');
      await settleAll(bench);
    }
    expect(await revisions(bench)).toBe('2222');
    await bench.mergeCluster('a', { spec: { paused: true } });
    await bench.writeClass('standard', standard({ kubernetes: { version: 'v1.32.4' } }, { rollout }));
    await bench.pass('standard');
    expect(await revisions(bench)).toBe('2322');
  });

  it('looks again soon at a cluster that is changed just when it is to move', async () => {
    let isChanged = false;
    const bench = new ClassBench([], (api) =>
      beforePatch(api, async () => {
        if (isChanged) return;
        isChanged = true;
        await bench.mergeCluster('a', { metadata: { labels: { changed: 'yes' } } });
      }),
    );
    await aBench({ rollout: { strategy: 'Automatic' } }, bench);
    expect(await bench.pass('standard')).toMatchObject({ kind: 'waiting', reason: 'ClustersChanging' });
    expect(await revisions(bench)).toBe('1211');
    await settleAll(bench);
    expect(await bench.pass('standard')).toMatchObject({ kind: 'waiting', reason: 'RollingOut' });
    expect(await revisions(bench)).toBe('2211');
  });

  it('moves nobody while it is paused', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic', paused: true } });
    expect(await bench.pass('standard')).toEqual({ kind: 'settled' });
    expect(await revisions(bench)).toBe('1111');
  });

  it('writes nothing in a second pass', async () => {
    const bench = await aBench({ rollout: { strategy: 'Automatic', maxConcurrent: 2 } });
    await bench.pass('standard');
    await bench.pass('standard'); // Its status tells of what it moved.
    const before = await bench.store.currentRevision();
    await bench.pass('standard');
    expect(await bench.store.currentRevision()).toBe(before);
  });

  it.each(
    Array.from({ length: 20 }, (_, index) => ({ deadly: Math.floor(index / 2) + 2, afterwards: index % 2 === 1 })),
  )('ends the same when it dies at write $deadly (done: $afterwards)', async ({ deadly, afterwards }) => {
    const killer = new Killer(deadly, afterwards);
    const bench = await aBench({ rollout: { strategy: 'Automatic' } }, new ClassBench([], killer.wrap));
    for (let pass = 0; pass < 8; pass += 1) {
      killer.restart();
      await bench.pass('standard');
      expect((await bench.clusters.list()).filter(isMoving).length).toBeLessThanOrEqual(1);
      await settleAll(bench);
    }
    expect(await revisions(bench)).toBe('2222');
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ total: 4, upToDate: 4, moving: 0 });
    expect((await bench.revisions.list()).map(({ spec }) => spec.revision)).toEqual([1, 2]);
  });
});

/** Tells a cluster to be what its class was or is. */
function move(bench: ClassBench, name: string, revision: string): Promise<Cluster> {
  return bench.mergeCluster(name, { metadata: { annotations: { [MOVE_ANNOTATION]: revision } } });
}

/** Cluster `a`, with the mark of a plan that gave it the spec of that generation. */
function mark(bench: ClassBench, generation: number): Promise<Cluster> {
  const text = markText({ name: 'grow', uid: 'u', digest: 'd', generation });
  return bench.mergeCluster('a', { metadata: { annotations: { [APPROVED_PLAN_ANNOTATION]: text } } });
}

function isMoving({ metadata, status }: Awaited<ReturnType<ClassBench['cluster']>>): boolean {
  return !isConditionTrue(status?.conditions, 'Ready', metadata.generation);
}

/** The API, with something happening right before each patch. */
function beforePatch(api: ResourceApi, happen: () => Promise<void>): ResourceApi {
  return new Proxy(api, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        if (property === 'patch') await happen();
        return (await Reflect.apply(value, target, args)) as unknown;
      };
    },
  });
}
