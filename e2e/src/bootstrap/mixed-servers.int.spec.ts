import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Cluster } from '@crate/api';
import { NAMESPACE, whyNoHelm } from '@crate/helm-chart';
import { HttpTargetCluster } from '@crate/kubernetes';
import { findRootlessWithHosts } from '@crate/sandbox';
import { isReady } from '../crate-user.js';
import { BootstrapBench, type ServerName } from './bootstrap-bench.js';

const isNamed = (await findRootlessWithHosts()) !== undefined;
const reason = (await whyNoHelm()) ?? (isNamed ? undefined : 'this machine allows no user namespace');
const suite = reason === undefined ? describe : describe.skip;

interface Row {
  readonly bundled: ServerName;
  readonly own: ServerName;
  readonly pods: readonly string[];
}

const ROWS: readonly Row[] = [
  { bundled: 'nats', own: 'postgres', pods: ['crate-nats-0', 'crate-nats-1', 'crate-nats-2'] },
  { bundled: 'postgres', own: 'nats', pods: ['crate-postgres-0'] },
];

suite.each(ROWS)(
  `a platform that brings $bundled, beside somebody's own $own${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  ({ bundled, pods }) => {
    let bench: BootstrapBench;
    beforeAll(async () => {
      bench = await BootstrapBench.start({ bundled: [bundled] });
    });
    afterAll(async () => bench?.stop());

    it('is set up by one command with that server alone, and its cluster is Ready', async () => {
      const { code, stderr } = await bench.run(...bench.bootstrap);
      expect({ code, stderr }).toMatchObject({ code: 0 });

      const cluster = new HttpTargetCluster(await readFile(join(bench.data, 'cluster.kubeconfig'), 'utf8'));
      const { items } = await cluster.list('v1', 'Pod', { namespace: NAMESPACE });
      await cluster.close();
      expect(items.map(({ metadata }) => metadata.name).filter((name) => /-(nats|postgres)-\d/.test(name))).toEqual(
        pods,
      );
      const read = [
        'get',
        'cluster',
        'platform',
        '-n',
        'crate-platform',
        '--kubeconfig',
        bench.kubeconfig,
        '-o',
        'json',
      ];
      expect(isReady(JSON.parse((await bench.run(...read)).stdout) as Cluster)).toBe(true);
    });

    it('is removed by one command, and leaves nothing', async () => {
      const { code, stderr } = await bench.run('remove', '--data', bench.data, '--confirm', 'platform');
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(await bench.inventory()).toEqual([]);
      expect(bench.processes()).toEqual([]);
    });
  },
);
