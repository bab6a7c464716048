import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { CHART, ROOT } from '../files/written-files.js';
import { whyNoHelm } from './program.js';
import { StagedChart, type RenderedObject } from './staged-chart.js';

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

const ADD_ONS = join(ROOT, 'deploy/add-ons');

/** Of the manifests of every add-on that ships and is not for the clusters of some clouds only: the own cluster is in none. */
async function shippedKinds(): Promise<readonly Manifest[]> {
  const names = (await readdir(ADD_ONS, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return (await Promise.all(names.map(({ name }) => kindsOf(join(ADD_ONS, name))))).flat();
}

async function kindsOf(folder: string): Promise<readonly Manifest[]> {
  const { providers } = parse(await readFile(join(folder, 'package.yaml'), 'utf8')) as { readonly providers?: unknown };
  if (providers !== undefined) return [];
  const files = await readdir(join(folder, 'manifests'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, 'manifests', name), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;
const VALUES = { messaging: { url: 'tls://nats.example.com:4222' }, inCluster: { enabled: true } };
const FURTHER = [{ apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['get', 'create', 'patch', 'delete'] }];

describe('the rights in the own cluster', () => {
  it('are enough for every add-on that ships, and give neither Secrets nor rights nor nodes', async () => {
    const rules = parse(await readFile(join(ROOT, CHART, 'files/in-cluster/rules.yaml'), 'utf8')) as readonly Rule[];
    const mayKeep = (group: string, resource: string): boolean =>
      rules.some(
        ({ apiGroups = [], resources = [], verbs }) =>
          apiGroups.includes(group) &&
          resources.includes(resource) &&
          ['get', 'create', 'patch', 'delete'].every((verb) => verbs.includes(verb)),
      );
    const kinds = await shippedKinds();
    expect(kinds.length).toBeGreaterThan(0);
    const missing = kinds.filter(({ apiVersion, kind }) => {
      const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
      return !mayKeep(group, kind === 'NetworkPolicy' ? 'networkpolicies' : `${kind.toLowerCase()}s`);
    });
    expect(missing).toEqual([]);

    const said = JSON.stringify(rules);
    for (const word of ['secrets', 'rbac', 'escalate', 'bind', 'impersonate', '"*"']) expect(said).not.toContain(word);
    const nodes = rules.find(({ resources }) => resources?.includes('nodes'));
    expect(nodes?.verbs).toEqual(['get', 'list', 'watch']);
  });
});

suite(`the chart for the own cluster${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let chart: StagedChart;
  let objects: readonly RenderedObject[];
  beforeAll(async () => {
    chart = await StagedChart.make();
    objects = await chart.render(VALUES);
  });
  afterAll(() => chart.remove());

  const named = (kind: string, name: string, among = objects): RenderedObject | undefined =>
    among.find((object) => object.kind === kind && object.metadata.name === name);

  it('leaves cloud-mgmt out as a whole', () => {
    const sets = objects.filter(({ kind }) => kind === 'StatefulSet').map(({ metadata }) => metadata.name);
    expect(sets.sort()).toEqual(['crate-cluster-mgmt', 'crate-lifecycle', 'crate-policy-mgmt']);
    expect(objects.filter(({ metadata }) => metadata.name.includes('cloud-mgmt'))).toEqual([]);
  });

  it('gives cluster-mgmt alone a token that is replaced, and rights', () => {
    const text = (service: string): string => JSON.stringify(named('StatefulSet', `crate-${service}`));
    expect(text('cluster-mgmt')).toContain('"serviceAccountToken"');
    expect(text('cluster-mgmt')).toContain('/run/crate/cluster/token');
    for (const service of ['lifecycle', 'policy-mgmt']) expect(text(service)).not.toContain('serviceAccountToken');
    expect(text('lifecycle')).toContain('CRATE_IN_CLUSTER_ENABLED');
    expect(named('ClusterRoleBinding', 'crate-in-cluster')).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'crate-in-cluster' },
      subjects: [{ kind: 'ServiceAccount', name: 'crate-cluster-mgmt', namespace: 'crate-system' }],
    });
  });

  it('adds rules, or takes a role that is there; without the mode it asks for no rights', async () => {
    const more = await chart.render({ ...VALUES, inCluster: { enabled: true, rules: FURTHER } });
    expect(named('ClusterRole', 'crate-in-cluster', more)?.['rules']).toEqual(expect.arrayContaining(FURTHER));
    const given = await chart.render({ ...VALUES, inCluster: { enabled: true, clusterRole: 'crate-add-ons' } });
    expect(named('ClusterRole', 'crate-in-cluster', given)).toBeUndefined();
    expect(named('ClusterRoleBinding', 'crate-in-cluster', given)?.['roleRef']).toMatchObject({
      name: 'crate-add-ons',
    });
    const plain = await chart.render({ messaging: VALUES.messaging });
    expect(plain.filter(({ kind }) => kind.startsWith('ClusterRole'))).toEqual([]);
  });
});
