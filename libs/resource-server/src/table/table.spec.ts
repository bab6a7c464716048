import { CLUSTER, type KubeObject } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { kindInfoOf } from '../kinds/kind-info.js';
import { formatAge } from './age.js';
import { findByPath } from './json-path.js';
import { toTable } from './table.js';

const NOW = new Date('2026-01-02T00:00:00Z');

const OBJECT = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'demo', creationTimestamp: '2026-01-01T23:56:48Z', labels: { 'a.b/c': 'x' } },
  spec: { region: 'eu-west-1', kubernetes: { version: 'v1.31.4' }, list: [{ v: 1 }, { v: 2 }] },
  status: {
    nodes: { ready: 3 },
    conditions: [
      { type: 'Synced', status: 'False' },
      { type: 'Ready', status: 'True', reason: 'Ready' },
    ],
  },
} as unknown as KubeObject;

describe('findByPath', () => {
  it.each([
    { path: '.spec.region', want: ['eu-west-1'] },
    { path: 'spec.region', want: ['eu-west-1'] },
    { path: '{.spec.region}', want: ['eu-west-1'] },
    { path: '.status.conditions[?(@.type=="Ready")].status', want: ['True'] },
    { path: ".status.conditions[?(@.type=='Ready')].reason", want: ['Ready'] },
    { path: '.status.conditions[?(@.type!="Ready")].status', want: ['False'] },
    { path: '.spec.list[?(@.v==2)].v', want: [2] },
    { path: '.spec.list[0].v', want: [1] },
    { path: '.spec.list[-1].v', want: [2] },
    { path: '.spec.list[*].v', want: [1, 2] },
    { path: '.metadata.labels.a\\.b/c', want: ['x'] },
    { path: ".metadata.labels['a.b/c']", want: ['x'] },
    { path: '.status.nodes.*', want: [3] },
    { path: '.nothing.here', want: [] },
    { path: '.spec.list[9].v', want: [] },
    { path: '.spec[', want: [] },
    { path: '.constructor.name', want: [] },
  ])('finds $want at $path', ({ path, want }) => {
    expect(findByPath(OBJECT, path)).toEqual(want);
  });
});

describe('formatAge', () => {
  it.each([
    { seconds: 0, want: '0s' },
    { seconds: 119, want: '119s' },
    { seconds: 120, want: '2m' },
    { seconds: 192, want: '3m12s' },
    { seconds: 600, want: '10m' },
    { seconds: 3 * 3600, want: '3h' },
    { seconds: 3 * 3600 + 60, want: '3h1m' },
    { seconds: 47 * 3600, want: '47h' },
    { seconds: 51 * 3600, want: '2d3h' },
    { seconds: 9 * 86_400, want: '9d' },
    { seconds: 800 * 86_400, want: '2y70d' },
    { seconds: 9 * 365 * 86_400, want: '9y' },
    { seconds: -60, want: '<invalid>' },
  ])('shows $seconds s as $want', ({ seconds, want }) => {
    expect(formatAge(new Date(NOW.getTime() - seconds * 1000).toISOString(), NOW)).toBe(want);
  });

  it('says when there is no time', () => {
    expect(formatAge('soon', NOW)).toBe('<invalid>');
  });
});

describe('toTable', () => {
  const kind = kindInfoOf(CLUSTER);

  it('has a column for the name and each printer column', () => {
    const { columnDefinitions, rows } = toTable(kind, [OBJECT], {}, { includeObject: 'None', now: NOW });
    expect(columnDefinitions.map((column) => column.name)).toEqual([
      ...['Name', 'Ready', 'Reason', 'Version', 'Nodes', 'Region', 'Progress'],
      ...['In-sync', 'Class', 'Class-up-to-date', 'Endpoint', 'Age'],
    ]);
    expect(columnDefinitions.find((column) => column.name === 'Endpoint')?.priority).toBe(1);
    const shown = ['demo', 'True', 'Ready', 'v1.31.4', 3, 'eu-west-1', null];
    expect(rows).toEqual([{ cells: [...shown, null, null, null, null, '3m12s'] }]);
  });

  it('looks elsewhere where a column names a second place and the first has nothing', () => {
    const existing = {
      ...OBJECT,
      spec: { kubernetes: {} },
      status: { version: 'v1.33.1+k3s1' },
    } as unknown as KubeObject;
    const { columnDefinitions, rows } = toTable(kind, [existing], {}, { includeObject: 'None', now: NOW });
    const at = columnDefinitions.findIndex(({ name }) => name === 'Version');
    expect(rows[0]?.cells[at]).toBe('v1.33.1+k3s1');
  });

  it('shows the age of kinds without columns', () => {
    const plain = { ...kind, printerColumns: [] };
    const { rows } = toTable(plain, [OBJECT], {}, { includeObject: 'None', now: NOW });
    expect(rows[0]?.cells).toEqual(['demo', '3m12s']);
  });

  it.each([
    { includeObject: 'Metadata' as const, kind: 'PartialObjectMetadata' },
    { includeObject: 'Object' as const, kind: 'Cluster' },
  ])('carries $includeObject', (row) => {
    const { rows } = toTable(kind, [OBJECT], {}, { includeObject: row.includeObject, now: NOW });
    expect(rows[0]?.object).toMatchObject({ kind: row.kind, metadata: OBJECT.metadata });
  });
});
