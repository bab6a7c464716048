import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiVersionOf, PROJECT, type Cluster, type KubeObject } from '@crate/api';
import { NAMESPACE, whyNoHelm } from '@crate/helm-chart';
import { HttpTargetCluster } from '@crate/kubernetes';
import { findRootlessWithHosts } from '@crate/sandbox';
import { eventually } from '@crate/testing';
import { isReady } from '../crate-user.js';
import { BootstrapBench } from './bootstrap-bench.js';

const PATIENT = { timeoutMs: 240_000 };
const SERVERS = ['crate-nats-0', 'crate-nats-1', 'crate-nats-2', 'crate-postgres-0'];
const isNamed = (await findRootlessWithHosts()) !== undefined;
const reason = (await whyNoHelm()) ?? (isNamed ? undefined : 'this machine allows no user namespace');
const suite = reason === undefined ? describe : describe.skip;

suite(`a platform that brings its own servers${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let bench: BootstrapBench;
  beforeAll(async () => {
    bench = await BootstrapBench.start({ bundled: ['postgres', 'nats'] });
  });
  afterAll(async () => bench?.stop());

  const pods = async (): Promise<readonly KubeObject[]> => {
    const cluster = new HttpTargetCluster(await readFile(join(bench.data, 'cluster.kubeconfig'), 'utf8'));
    try {
      return (await cluster.list('v1', 'Pod', { namespace: NAMESPACE })).items;
    } finally {
      await cluster.close();
    }
  };
  const ask = async <T>(...args: readonly string[]): Promise<T> => {
    const { code, stdout, stderr } = await bench.run(...args, '--kubeconfig', bench.kubeconfig, '-o', 'json');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout) as T;
  };

  it('is taken back with its servers and their volume', async () => {
    expect(await bench.killAfter('secrets', 'bootstrap.json', bench.bootstrap)).toBeNull();
    expect((await pods()).map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(SERVERS));
    expect((await bench.inventory()).map(({ type }) => type)).toContain('aws_ebs_volume');
    const { code, stderr } = await bench.run('bootstrap', 'sandbox', '--data', bench.data, '--rollback');

    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await bench.inventory()).toEqual([]);
    expect(bench.processes()).toEqual([]);
  });

  it('is set up without servers of anybody, also when the command is killed on the way', async () => {
    expect(await bench.killAfter('servers', 'bootstrap.json', bench.bootstrap)).toBeNull();
    const { code, stderr } = await bench.run(...bench.bootstrap);

    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(bench.processes('singleton')).toEqual([]);
    expect(isReady(await ask<Cluster>('get', 'cluster', 'platform', '-n', 'crate-platform'))).toBe(true);
  });

  it('keeps to its servers', async () => {
    const own = ['--nats-url', 'nats://127.0.0.1:4222', '--nats-passwords-file', bench.file('values.yaml')];
    const { code, stderr } = await bench.run(...bench.bootstrap, ...own);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('RequestChanged') });
  });

  it('remembers what it was told when its database and a member of NATS come back', async () => {
    const project = { apiVersion: apiVersionOf(PROJECT), kind: PROJECT.kind, metadata: { name: 'kept' }, spec: {} };
    await bench.write('project.json', JSON.stringify(project));
    const applied = await bench.run('apply', '-f', bench.file('project.json'), '--kubeconfig', bench.kubeconfig);
    expect(applied).toMatchObject({ code: 0 });
    const before = new Map((await pods()).map(({ metadata }) => [metadata.name, metadata.uid]));
    const replaced = ['crate-postgres-0', 'crate-nats-1'];
    const cluster = new HttpTargetCluster(await readFile(join(bench.data, 'cluster.kubeconfig'), 'utf8'));
    for (const name of replaced) await cluster.remove({ apiVersion: 'v1', kind: 'Pod', name, namespace: NAMESPACE });
    await cluster.close();

    await eventually(async () => {
      const now = new Map((await pods()).map(({ metadata }) => [metadata.name, metadata.uid]));
      for (const name of replaced) expect([undefined, before.get(name)]).not.toContain(now.get(name));
      expect(await ask<KubeObject>('get', 'project', 'kept')).toMatchObject({ metadata: { name: 'kept' } });
    }, PATIENT);
  });

  it('is removed by one command, also when that is killed on the way: it takes its database over before that goes', async () => {
    const remove = ['remove', '--data', bench.data, '--confirm', 'platform', '--result', bench.file('proof.json')];
    expect(await bench.killAfter('pivot', 'remove.json', remove)).toBeNull();
    const { code, stderr } = await bench.run(...remove);
    expect({ code, stderr }).toMatchObject({ code: 0 });

    expect(await bench.inventory()).toEqual([]);
    expect(await bench.json('proof.json')).toMatchObject({ account: '111122223333', regions: ['us-east-1'], left: 0 });
    expect(bench.processes()).toEqual([]);
  });
});
