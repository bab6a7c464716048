import { beforeEach, describe, expect, it } from '@jest/globals';
import { findCondition, type Cluster, type Failure } from '@crate/api';
import { forbidden, invalidSpec } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';
import { versionCauses } from '../cluster/cluster.versions.js';
import { standard } from '../testing/a-class.js';
import { ClassBench, OWN_SPEC } from '../testing/class-bench.js';

const SHORT = { ...OWN_SPEC, classRef: { name: 'standard' }, parameters: { size: 'small' } };
const NAMES = ['a', 'b', 'c'];
const FAILURE: Failure = { code: 'QuotaExceeded', message: 'No', retryable: true };

function minorOf({ spec }: Cluster): number {
  return Number(spec.kubernetes.version?.split('.')[1]);
}

/** As the policies of the platform have it, and what admission says besides. */
const admit: AdmissionHook = ({ object, oldObject }) => {
  const [now, old] = [object as Cluster, oldObject as Cluster | undefined];
  const step = old ? minorOf(now) - minorOf(old) : 0;
  if (step < 0 || step > 1) return Promise.reject(forbidden('One minor version at a time, and never back'));
  const causes = versionCauses(now, old);
  return causes.length > 0 ? Promise.reject(invalidSpec('No', causes)) : Promise.resolve();
};

let bench: ClassBench;
beforeEach(() => {
  bench = new ClassBench([admit]);
});

async function write(version: string, rest: Record<string, unknown> = {}): Promise<void> {
  const rollout = { strategy: 'Automatic', maxConcurrent: 3 };
  await bench.writeClass('standard', standard({ kubernetes: { version } }, { rollout, ...rest }));
}

/** Lets a cluster run what its spec says, unless it fails on the way there. */
async function run(name: string, failure?: Failure, version?: string): Promise<void> {
  await bench.settle(await bench.cluster(name), failure);
  const cluster = await bench.cluster(name);
  const { version: asked } = cluster.spec.kubernetes;
  await bench.clusters.saveStatus(cluster, { ...cluster.status, version: version ?? asked });
}

async function runAll(names: readonly string[] = NAMES): Promise<void> {
  for (const name of names) await run(name);
}

async function pause(name: string, paused: boolean): Promise<void> {
  await bench.mergeCluster(name, { spec: { paused } });
}

async function revisions(): Promise<string> {
  const clusters = await Promise.all(NAMES.map((name) => bench.cluster(name)));
  return clusters.map(({ spec }) => spec.classRef?.revision ?? '-').join('');
}

async function start(version: string): Promise<void> {
  await write(version);
  for (const name of NAMES) await bench.applyCluster(name, SHORT);
  await runAll();
}

/** Revision 3 is two minor versions ahead of those that are paused, and the others have it. */
async function leaveBehind(names: readonly string[], rest: Record<string, unknown> = {}): Promise<void> {
  await start('v1.30.12');
  for (const name of names) await pause(name, true);
  for (const version of ['v1.31.8', 'v1.32.4']) {
    await write(version, rest);
    await bench.pass('standard');
    await runAll(NAMES.filter((name) => !names.includes(name)));
  }
  await bench.pass('standard');
  for (const name of names) await pause(name, false);
  await runAll(names);
}

describe('a cluster that missed a minor version', () => {
  it('is taken to the newest revision by way of the one before, once it runs that', async () => {
    await leaveBehind(['a']);
    expect(await revisions()).toBe('133');
    expect(await bench.pass('standard')).toMatchObject({ kind: 'waiting', reason: 'RollingOut' });
    expect(await revisions()).toBe('233');
    expect(await bench.pass('standard')).toMatchObject({ kind: 'waiting', reason: 'RollingOut' });
    expect(await revisions()).toBe('233');
    await run('a');
    await bench.pass('standard');
    expect(await revisions()).toBe('333');
    await run('a');
    expect(await bench.pass('standard')).toEqual({ kind: 'settled' });
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ upToDate: 3 });
  });

  it('was refused no more once it is on its way', async () => {
    let isFull = false;
    const quota: AdmissionHook = () => (isFull ? Promise.reject(forbidden('The quota is used up')) : Promise.resolve());
    bench = new ClassBench([admit, quota]);
    await leaveBehind(['a']);
    isFull = true;
    await bench.pass('standard');
    const refusal = 'on the way, at revision 2: The quota is used up';
    expect(await bench.clustersOf('standard')).toMatchObject({ clusters: [{ standing: 'failing', refusal }, {}, {}] });
    isFull = false;
    await bench.pass('standard');
    expect(await revisions()).toBe('233');
    expect(await bench.clustersOf('standard')).toMatchObject({ clusters: [{ standing: 'outdated' }, {}, {}] });
    expect((await bench.classes.preview.stateOf(await bench.cluster('a')))?.refused).toBeUndefined();
  });

  it('says what is in the way, and holds up nobody, when no revision in between is kept', async () => {
    await leaveBehind(['a'], { revisionHistoryLimit: 0 });
    expect(await bench.pass('standard')).toEqual({ kind: 'settled' });
    expect(await revisions()).toBe('133');
    const { status } = await bench.theClass('standard');
    expect(status?.clusters).toMatchObject({ outdated: 1, upToDate: 2, failing: 0 });
    expect(findCondition(status?.conditions, 'RolledOut')).toMatchObject({
      reason: 'Stalled',
      message: expect.stringMatching(/1 cannot move to it at once$/) as unknown,
    });
    const hindrance = 'Kubernetes goes up one minor version at a time';
    expect(await bench.clustersOf('standard')).toMatchObject({ clusters: [{ name: 'a', hindrance }, {}, {}] });
  });

  it('is taken along when the class has the version in between for a while', async () => {
    await leaveBehind(['a'], { revisionHistoryLimit: 0 });
    for (const version of ['v1.31.8', 'v1.32.4']) {
      await write(version, { revisionHistoryLimit: 0 });
      await bench.pass('standard');
      await runAll();
    }
    expect(await revisions()).toBe('555');
  });

  it('holds up the others when it fails on the way', async () => {
    await leaveBehind(['a', 'b']);
    await write('v1.32.4', { rollout: { strategy: 'Automatic' } });
    await bench.pass('standard');
    expect(await revisions()).toBe('213');
    await run('a', FAILURE, 'v1.30.12');
    await bench.pass('standard');
    expect(await revisions()).toBe('213');
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ failing: 1, outdated: 1 });
  });

  it.each([
    { how: 'kept there', spec: { classRef: { revision: 2 } }, want: '213', settle: () => Promise.resolve() },
    {
      how: 'taken back',
      spec: { classRef: { revision: 1 }, kubernetes: { version: 'v1.31.8' } },
      want: '113',
      settle: () => run('a'),
    },
  ])('holds up the others when it failed on the way and is $how', async ({ spec, want, settle }) => {
    await leaveBehind(['a', 'b']);
    await write('v1.32.4', { rollout: { strategy: 'Automatic' } });
    await bench.pass('standard');
    await run('a', FAILURE, 'v1.30.12');
    await bench.mergeCluster('a', { spec });
    await settle();
    await bench.pass('standard');
    expect(await revisions()).toBe(want);
    expect((await bench.theClass('standard')).status?.clusters).toMatchObject({ failing: 1, outdated: 1, pinned: 0 });
  });
});

describe('a class that goes back to an earlier version', () => {
  it('leaves those where they are that have the later one, and holds up nobody', async () => {
    await start('v1.31.8');
    await write('v1.32.4', { rollout: { strategy: 'Automatic' } });
    await bench.pass('standard');
    await run('a');
    await write('v1.31.8');
    await bench.pass('standard');
    expect(await revisions()).toBe('233');
    await runAll(['b', 'c']);
    expect(await bench.pass('standard')).toEqual({ kind: 'settled' });
    const { status } = await bench.theClass('standard');
    expect(status?.clusters).toMatchObject({ outdated: 1, upToDate: 2, failing: 0 });
    expect(findCondition(status?.conditions, 'RolledOut')).toMatchObject({ status: 'False', reason: 'Stalled' });
    const hindrance = 'Kubernetes does not go back to an earlier minor version';
    expect(await bench.clustersOf('standard')).toMatchObject({ clusters: [{ name: 'a', hindrance }, {}, {}] });
  });

  it('is rolling out, and not stalled, while one of them comes up', async () => {
    await start('v1.32.4');
    await bench.mergeCluster('a', { spec: { parameters: { size: 'large' } } });
    await write('v1.31.8');
    await bench.pass('standard');
    const reason = async (): Promise<string | undefined> =>
      findCondition((await bench.theClass('standard')).status?.conditions, 'RolledOut')?.reason;
    expect(await reason()).toBe('RollingOut');
    await run('a');
    await bench.pass('standard');
    expect(await reason()).toBe('Stalled');
  });
});
