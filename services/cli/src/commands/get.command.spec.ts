import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { CLUSTERS, clusterObject, clusterTable, discoveryAnswer } from '../testing/served.js';
import { getCommand } from './get.command.js';

const ALL = '/apis/lifecycle.crate.dev/v1alpha1/clusters';

let api: FakeApi;
let asked: string[];

beforeEach(async () => {
  asked = [];
  api = await FakeApi.start((method, path, _body, { accept = '' }) => {
    const known = discoveryAnswer(path);
    if (known) return known;
    asked.push(`${method} ${path}`);
    return answerOf(new URL(path, 'https://api'), accept.includes('as=Table'));
  });
});
afterEach(async () => api.stop());

function answerOf({ pathname, searchParams }: URL, isTable: boolean): FakeAnswer {
  if (searchParams.get('labelSelector') === 'none=x') return { body: clusterTable() };
  switch (pathname) {
    case CLUSTERS:
    case ALL:
      return {
        body: isTable ? page(searchParams) : { metadata: {}, items: [withoutKind('demo'), withoutKind('other')] },
      };
    case `${CLUSTERS}/demo`:
      return { body: isTable ? clusterTable('demo') : clusterObject('demo', { zone: 1 }) };
    case '/apis/lifecycle.crate.dev/v1alpha1/projects':
      return { body: clusterTable('team-a') };
    default:
      return undefined;
  }
}

/** Two pages. */
function page(query: URLSearchParams): object {
  if (query.get('continue') === 'more') return clusterTable('other');
  return { ...clusterTable('demo'), metadata: { resourceVersion: '5', continue: 'more' } };
}

function withoutKind(name: string): object {
  const { kind: _kind, apiVersion: _version, ...rest } = clusterObject(name) as Record<string, unknown>;
  const metadata = { ...(rest['metadata'] as object), managedFields: [{ manager: 'x' }] };
  return { ...rest, metadata, spec: { rank: -name.length } };
}

async function get(...args: string[]): Promise<Written> {
  return outputOf(getCommand(), [...args, '-n', 'team-a', '--data-dir', api.dataDir]);
}

describe('crate get', () => {
  it.each([
    'clusters',
    'cluster',
    'cl',
    'Cluster',
    'clusters.lifecycle.crate.dev',
    'cluster.v1alpha1.lifecycle.crate.dev',
  ])('knows %s, and shows every page of the table of the server', async (type) => {
    expect((await get(type)).stdout).toBe('NAME    NODES\ndemo    3\nother   3\n');
    expect(asked).toEqual([`GET ${CLUSTERS}?limit=500`, `GET ${CLUSTERS}?limit=500&continue=more`]);
  });

  it('shows more columns when asked to', async () => {
    expect((await get('cl', 'demo', '-o', 'wide', '--show-labels')).stdout).toBe(
      'NAME   NODES   ENDPOINT   LABELS\ndemo   3       <none>     tier=web\n',
    );
    expect((await get('cl/demo', '--no-headers')).stdout).toBe('demo   3\n');
  });

  it('looks in all Projects, with selectors', async () => {
    const { stdout } = await get('cl', '-A', '-l', 'tier=web', '--field-selector', 'spec.region=us-east-1');
    expect(stdout.split('\n')[1]).toBe('team-a      demo    3');
    expect(asked[0]).toBe(`GET ${ALL}?labelSelector=tier%3Dweb&fieldSelector=spec.region%3Dus-east-1&limit=500`);
  });

  it('tells several kinds apart', async () => {
    expect((await get('cl,proj')).stdout).toMatch(/^cluster\.lifecycle\.crate\.dev\/demo +3$/m);
    expect((await get('all')).stdout).toMatch(/^project\.lifecycle\.crate\.dev\/team-a +3$/m);
  });

  it.each([
    ['name', 'cluster.lifecycle.crate.dev/demo\ncluster.lifecycle.crate.dev/other\n'],
    ['jsonpath={.items[*].metadata.name}', 'demo other\n'],
  ])('prints a list as %s', async (format, want) => {
    expect((await get('cl', '-o', format)).stdout).toBe(want);
  });

  it('prints data without what only the server needs, in the order of documents', async () => {
    const { stdout } = await get('cl', '-o', 'json');
    const list = JSON.parse(stdout) as { kind: string; items: { kind: string; metadata: object }[] };
    expect([list.kind, list.items.map(({ kind }) => kind)]).toEqual(['List', ['Cluster', 'Cluster']]);
    expect(stdout).not.toContain('managedFields');
    expect((await get('cl', '-o', 'json', '--show-managed-fields')).stdout).toContain('managedFields');
    const yaml = (await get('cl', 'demo', '-o', 'yaml')).stdout;
    expect(yaml.match(/^\w+/gm)).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'zone']);
  });

  it('shows what is there, tells what is not, and ends with the code of that', async () => {
    const { stdout, stderr, exitCode } = await get('cl', 'demo', 'nope');
    expect(stdout).toContain('demo');
    expect(stderr).toContain('not found');
    expect(exitCode).toBe(3);
    const ignored = await get('cl', 'demo', 'nope', '--ignore-not-found');
    expect([ignored.stderr, ignored.exitCode]).toEqual(['', 0]);
  });

  it('does not take a name that is empty, such as of a variable that is not set, for all', async () => {
    await expect(get('cluster', '')).rejects.toMatchObject({ code: 'BadRequest' });
    const { stderr, exitCode } = await outputOf(getCommand(), ['cl', '-n', '', '--data-dir', api.dataDir]);
    expect([stderr, exitCode]).toEqual([expect.stringContaining('"" is no name'), 2]);
    expect(asked).toEqual([]);
  });

  it('sorts tables and data by a place in the objects', async () => {
    const table = await get('clusters', '--sort-by', '{.spec.rank}', '--no-headers');
    expect(table.stdout).toMatch(/^other .*\ndemo /);
    expect(asked.every((each) => each.includes('includeObject=Object'))).toBe(true);
    const data = await get('clusters', '--sort-by', '.spec.rank', '-o', 'name');
    expect(data.stdout).toBe('cluster.lifecycle.crate.dev/other\ncluster.lifecycle.crate.dev/demo\n');
  });

  it('says that there is nothing, beside the output', async () => {
    const { stdout, stderr, exitCode } = await get('cl', '-l', 'none=x');
    expect([stdout, stderr, exitCode]).toEqual([
      '',
      'No clusters found in Project team-a; another one: -n PROJECT, all of them: -A\n',
      0,
    ]);
  });

  it.each([
    { args: ['clust'], want: /serves no kind "clust" \(there is: clusters\)/ },
    { args: ['cl/demo', 'nodepool'], want: /Expected TYPE\/NAME/ },
    { args: ['cl', 'demo', '-A'], want: /-n PROJECT instead of -A/ },
    { args: ['cl', 'demo', '-l', 'a=b'], want: /names, or selectors/ },
    { args: ['cl,np', '-w'], want: /Watch one kind/ },
    { args: ['cl', '-w', '--sort-by', '.a'], want: /-w or --sort-by, not both/ },
    { args: ['cl', '--sort-by', '.a['], want: /is no JSONPath/ },
    { args: ['cl', '-o', 'jsonpath={.a[}'], want: /is no JSONPath/ },
  ])('refuses $args', async ({ args, want }) => {
    await expect(get(...args)).rejects.toThrow(want);
  });
});
