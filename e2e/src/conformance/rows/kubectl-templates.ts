import assert from 'node:assert/strict';
import { eventually } from '@crate/testing';
import { parse } from 'yaml';
import { aClass, aCluster } from '../documents.js';
import type { KubectlRows } from './kubectl-client.js';

/** ClusterClasses and NodePools. */
export const templateRows: KubectlRows = ({ kubectl, apply, project }) => {
  const className = `class-of-${project}`;
  /** Leaves all to its class but the size. */
  const short = (name: string) => {
    const { spec: _spec, ...head } = aCluster(name);
    const spec = { paused: true, accountRef: { name: 'sandbox' }, region: 'us-east-1' };
    return JSON.stringify({ ...head, spec: { ...spec, classRef: { name: className }, parameters: { workers: 3 } } });
  };
  const replicas = () =>
    kubectl().ok(['get', 'cluster', 'pooled', '-o', 'jsonpath={.spec.nodePools[?(@.name=="workers")].replicas}']);
  return [
    {
      capability: 'apply of a ClusterClass, which makes a revision',
      run: async () => {
        await kubectl().ok(['apply', '-f', '-'], { input: JSON.stringify(aClass(className)) });
        const args = ['get', 'clusterclassrevisions', `--field-selector=spec.classRef.name=${className}`, '-o', 'name'];
        await eventually(async () => assert.match(await kubectl().ok(args), new RegExp(`/${className}-1\n$`)));
      },
    },
    {
      capability: 'create --dry-run=server -o yaml shows what a class makes of a cluster',
      run: async () => {
        const input = short('of-class');
        const printed = await kubectl().ok(['create', '--dry-run=server', '-o', 'yaml', '-f', '-'], { input });
        const { spec } = parse(printed) as { readonly spec: Record<string, unknown> };
        assert.partialDeepStrictEqual(spec, {
          classRef: { name: className, revision: 1 },
          kubernetes: { version: 'v1.31.4' },
          nodePools: [{ name: 'workers', replicas: 3, machineType: 'm5.large' }],
        });
        await kubectl().fails(['get', 'cluster', 'of-class']);
      },
    },
    {
      capability: 'diff of a cluster of a class is empty for the same short document',
      run: async () => {
        const input = short('of-class');
        await kubectl().ok(['apply', '-f', '-'], { input });
        const { code, stdout } = await kubectl().run(['diff', '-f', '-'], { input });
        assert.deepEqual([code, stdout], [0, '']);
      },
    },
    {
      capability: 'get nodepools, by cluster',
      run: async () => {
        await apply(aCluster('pooled'));
        const printed = await kubectl().ok(['get', 'nodepools', '--field-selector=spec.clusterRef.name=pooled']);
        assert.match(printed, /^NAME .* DESIRED +READY +AGE\npooled\.workers +pooled +m5\.large +2 .*\n$/);
      },
    },
    {
      capability: 'scale nodepool --replicas',
      run: async () => {
        assert.match(await kubectl().ok(['scale', 'nodepool/pooled.workers', '--replicas=4']), /scaled/);
        assert.equal(await replicas(), '4');
      },
    },
    {
      capability: 'scale nodepool --current-replicas, and its refusal',
      run: async () => {
        const scale = ['scale', 'nodepool/pooled.workers', '--replicas=5'];
        assert.match(await kubectl().fails([...scale, '--current-replicas=3']), /Expected replicas to be 3, was 4/);
        assert.equal(await replicas(), '4');
        await kubectl().ok([...scale, '--current-replicas=4']);
        assert.equal(await replicas(), '5');
      },
    },
    {
      capability: 'delete of a node pool is refused, and says what to do',
      run: async () => {
        const refusal = await kubectl().fails(['delete', 'nodepool', 'pooled.workers']);
        assert.match(refusal, /\(MethodNotAllowed\): .*spec\.nodePools of their Cluster/);
      },
    },
  ];
};
