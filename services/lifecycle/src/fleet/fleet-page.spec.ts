import { FLEET_SORTS, type FleetRow } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { aFleetCluster, at, not, type FleetCluster } from '../testing/a-fleet.js';
import { FleetIndex } from './fleet-index.js';
import { FLEET_ORDERS } from './fleet-order.js';
import { fleetPage } from './fleet-page.js';
import { parseFleetQuery } from './fleet-query.js';

const ALL = { key: '*' };
const NOW = Date.parse(at('12:00'));

const failure = { code: 'CredentialsRejected', message: 'The key of ACME was refused', retryable: false };
const FAILED: FleetCluster = {
  conditions: [not('Ready', 'ReconcileError', '02:00'), not('InfrastructureReady', 'CredentialsRejected', '09:00')],
  status: { failure },
};

const FLEET: readonly FleetCluster[] = [
  { name: 'alpha', project: 'team-a', spec: { region: 'eu-west-1' } },
  { name: 'beta', project: 'team-a', spec: { paused: true } },
  { name: 'gamma', project: 'team-b', ...FAILED },
  { name: 'delta', project: 'team-b', spec: { classRef: { name: 'golden' }, nodePools: [] } },
  { name: 'alpha', project: 'team-c', status: { version: 'v1.9.3' }, metadata: { creationTimestamp: at('06:00') } },
];

function indexOf(fleet: readonly FleetCluster[] = FLEET): FleetIndex {
  const index = new FleetIndex({ now: () => NOW });
  for (const given of fleet) index.put(aFleetCluster(given));
  index.confirm('42', performance.now());
  return index;
}

const nameOf = ({ namespace, name }: FleetRow): string => `${namespace}/${name}`;

function names(parameters: string, index = indexOf()): readonly string[] {
  return fleetPage(index, parseFleetQuery(new URLSearchParams(parameters)), ALL).rows.map(nameOf);
}

describe('rows', () => {
  it('stay while a plan comes and is given up, whoever looks', () => {
    const index = indexOf();
    const before = names('sort=name', index);
    index.openPlan('team-a/alpha', { name: 'grow', namespace: 'team-a', summary: '', since: at('11:00') });
    index.closePlan('team-a/alpha', 'grow');
    expect(names('sort=name', index)).toEqual(before);
  });

  it('say what there is to say, and leave out what is not known', () => {
    const page = fleetPage(indexOf(), parseFleetQuery(new URLSearchParams('q=gamma')), ALL);
    expect(page).toMatchObject({ kind: 'FleetPage', revision: '42', total: 5, matching: 1, offset: 0 });
    expect(page.rows).toEqual([
      {
        uid: 'uid-of-team-b-gamma',
        namespace: 'team-b',
        name: 'gamma',
        health: 'Failing',
        attention: 94,
        cause: {
          condition: 'InfrastructureReady',
          reason: 'CredentialsRejected',
          message: failure.message,
          since: at('09:00'),
        },
        provider: '',
        region: 'us-east-1',
        version: 'v1.31.4',
        engine: 'rke',
        nodes: { ready: 0, wanted: 5 },
        addOns: { ready: 0, wanted: 0 },
        monthlyCost: { amount: 660.28, currency: 'USD' },
        drifted: false,
        createdAt: at('00:00'),
      },
    ]);
  });

  it('show progress, counts and findings as the status has them', () => {
    const status = {
      progress: { step: 2, steps: 4, message: 'Kubernetes: engine' },
      phases: [
        { name: 'Infrastructure', state: 'Done' as const, step: 1, steps: 1, message: '' },
        { name: 'Kubernetes', state: 'Running' as const, step: 0, steps: 1, message: '' },
      ],
      nodes: { ready: 3, desired: 5 },
      addOns: [
        { name: 'baseline', version: '1', ready: true },
        { name: 'docs', version: '1', ready: false },
      ],
      policy: { fail: 0, warn: 3 },
    };
    const conditions = [not('Ready', 'WaitingForKubernetes', '10:00'), not('InSync', 'Drifted', '10:00')];
    const index = indexOf([{ status, conditions, metadata: { deletionTimestamp: at('11:00') } }]);
    expect(fleetPage(index, parseFleetQuery(new URLSearchParams()), ALL).rows[0]).toMatchObject({
      phase: 'Kubernetes',
      progress: status.progress,
      nodes: { ready: 3, wanted: 5 },
      addOns: { ready: 1, wanted: 2 },
      policy: { fail: 0, warn: 3 },
      drifted: true,
      deletingSince: at('11:00'),
    });
  });

  it('count a broken rule of a part, which the review of the spec knows nothing of', () => {
    const conditions = [not('PolicyCompliant', 'PartDenied', '10:00')];
    const index = indexOf([{ conditions, status: { policy: { fail: 0, warn: 1 } } }]);
    expect(fleetPage(index, parseFleetQuery(new URLSearchParams()), ALL).rows[0]?.policy).toEqual({ fail: 1, warn: 1 });
  });
});

describe('filters', () => {
  const rows: readonly { parameters: string; want: readonly string[] }[] = [
    { parameters: 'project=team-b,team-c&sort=name', want: ['team-c/alpha', 'team-b/delta', 'team-b/gamma'] },
    { parameters: 'health=Failing,Paused', want: ['team-b/gamma', 'team-a/beta'] },
    { parameters: 'health=Failing&health=Paused', want: ['team-b/gamma', 'team-a/beta'] },
    { parameters: 'region=eu-west-1', want: ['team-a/alpha'] },
    { parameters: 'version=v1.9.3', want: ['team-c/alpha'] },
    { parameters: 'class=golden', want: ['team-b/delta'] },
    { parameters: 'engine=none', want: [] },
    { parameters: 'provider=aws', want: [] },
    { parameters: 'project=nobody', want: [] },
    { parameters: 'project=team-a&region=us-east-1', want: ['team-a/beta'] },
    { parameters: 'q=ALPHA&sort=name', want: ['team-a/alpha', 'team-c/alpha'] },
    { parameters: 'q=eam-B&sort=name', want: ['team-b/delta', 'team-b/gamma'] },
    { parameters: 'q=old', want: ['team-b/delta'] },
    { parameters: 'q=acme', want: ['team-b/gamma'] },
    { parameters: 'q=credentialsrej', want: ['team-b/gamma'] },
    { parameters: 'q=infrastructureready', want: ['team-b/gamma'] },
    { parameters: 'q=.*', want: [] },
    { parameters: 'q=alpha&project=team-c', want: ['team-c/alpha'] },
  ];
  it.each(rows)('$parameters', ({ parameters, want }) => expect(names(parameters)).toEqual(want));
});

describe('orders', () => {
  const rows: readonly { parameters: string; want: readonly string[] }[] = [
    { parameters: '', want: ['team-b/gamma', 'team-a/beta', 'team-a/alpha', 'team-b/delta', 'team-c/alpha'] },
    {
      parameters: 'sort=attention',
      want: ['team-a/alpha', 'team-b/delta', 'team-c/alpha', 'team-a/beta', 'team-b/gamma'],
    },
    { parameters: 'sort=name', want: ['team-a/alpha', 'team-c/alpha', 'team-a/beta', 'team-b/delta', 'team-b/gamma'] },
    { parameters: 'sort=-name', want: ['team-b/gamma', 'team-b/delta', 'team-a/beta', 'team-a/alpha', 'team-c/alpha'] },
    {
      parameters: 'sort=-project',
      want: ['team-c/alpha', 'team-b/delta', 'team-b/gamma', 'team-a/alpha', 'team-a/beta'],
    },
    { parameters: 'sort=age&limit=2', want: ['team-c/alpha', 'team-a/alpha'] },
    { parameters: 'sort=version&limit=2', want: ['team-c/alpha', 'team-a/alpha'] },
    { parameters: 'sort=nodes&limit=1', want: ['team-b/delta'] },
    { parameters: 'sort=cost&limit=1', want: ['team-b/delta'] },
    { parameters: 'sort=name&offset=3&limit=10', want: ['team-b/delta', 'team-b/gamma'] },
    { parameters: 'sort=name&offset=99', want: [] },
  ];
  it.each(rows)('$parameters', ({ parameters, want }) => expect(names(parameters)).toEqual(want));

  it('have the attention fall from row to row, at any time', () => {
    const times = ['11:59', '11:50', '10:30', '06:00', '01:00', '00:00'];
    const fleet = times.flatMap((time) => [
      { name: `f-${time.replace(':', '')}`, conditions: [not('InSync', 'OnHold', time)] },
      { name: `d-${time.replace(':', '')}`, conditions: [not('InSync', 'Drifted', time)] },
    ]);
    for (const hours of [0, 1, 30, 500]) {
      const index = new FleetIndex({ now: () => NOW + hours * 3_600_000 });
      for (const given of fleet) index.put(aFleetCluster(given));
      const attention = fleetPage(index, parseFleetQuery(new URLSearchParams()), ALL).rows.map((row) => row.attention);
      expect(attention).toEqual([...attention].sort((left, right) => right - left));
      expect(attention).toHaveLength(12);
    }
  });

  it('stay right through changes, as if everything had been sorted anew', () => {
    const index = indexOf([]);
    const random = pseudoRandom(7);
    const expected = new Map<string, FleetCluster>();
    for (let round = 0; round < 300; round += 1) {
      const name = `c-${Math.floor(random() * 40)}`;
      const project = `team-${Math.floor(random() * 5)}`;
      const key = `${project}/${name}`;
      if (random() < 0.3) {
        index.remove(aFleetCluster({ name, project }));
        expected.delete(key);
      } else {
        const given = anyCluster(random, name, project);
        index.put(aFleetCluster(given));
        expected.set(key, given);
      }
      if (round % 15 > 0) continue;
      for (const order of FLEET_ORDERS) {
        const fresh = indexOf([...expected.values()]);
        expect([order, names(`sort=${order}&limit=500`, index)]).toEqual([
          order,
          names(`sort=${order}&limit=500`, fresh),
        ]);
      }
    }
    expect(FLEET_ORDERS).toHaveLength(FLEET_SORTS.length * 2);
  });
});

describe('roll-ups', () => {
  it('count everything that matches, not the page, and the largest group first', () => {
    const page = fleetPage(indexOf(), parseFleetQuery(new URLSearchParams('limit=1')), ALL);
    expect(page.rows).toHaveLength(1);
    expect(page.rollup).toEqual({
      health: { Failing: 1, Blocked: 0, Degraded: 0, Progressing: 0, Deleting: 0, Paused: 1, Healthy: 3 },
      byProject: [
        { key: 'team-a', total: 2, health: { Healthy: 1, Paused: 1 } },
        { key: 'team-b', total: 2, health: { Failing: 1, Healthy: 1 } },
        { key: 'team-c', total: 1, health: { Healthy: 1 } },
      ],
      byRegion: [
        { key: 'us-east-1', total: 4, health: { Failing: 1, Paused: 1, Healthy: 2 } },
        { key: 'eu-west-1', total: 1, health: { Healthy: 1 } },
      ],
      byVersion: [
        { key: 'v1.31.4', total: 4, health: { Failing: 1, Paused: 1, Healthy: 2 } },
        { key: 'v1.9.3', total: 1, health: { Healthy: 1 } },
      ],
      byProvider: [{ key: '', total: 5, health: { Failing: 1, Paused: 1, Healthy: 3 } }],
    });
  });

  it('know nothing of what is filtered out or is not the reader’s', () => {
    const index = indexOf();
    const projects = index.labels.project.matching((name) => name === 'team-b');
    const page = fleetPage(index, parseFleetQuery(new URLSearchParams('health=Healthy')), { projects, key: 'b' });
    expect([page.total, page.matching, page.rows.map(nameOf)]).toEqual([2, 1, ['team-b/delta']]);
    expect(page.rollup.byProject).toEqual([{ key: 'team-b', total: 1, health: { Healthy: 1 } }]);
    expect(JSON.stringify(page)).not.toMatch(/team-a|team-c|eu-west-1|v1\.9\.3/);
  });
});

describe('time', () => {
  it('turns what should have ended long ago into more, by itself', () => {
    let now = NOW;
    const index = new FleetIndex({ now: () => now });
    const cause = { code: 'Throttled', message: 'Too many calls', retryable: true };
    const conditions = [not('Ready', 'ReconcileError', '11:50'), not('InfrastructureReady', 'Throttled', '11:50')];
    index.put(aFleetCluster({ name: 'retried', conditions, status: { failure: cause } }));
    const joining = [not('Ready', 'WaitingForAddOns', '11:50'), not('AddOnsReady', 'WaitingForAddOns', '11:50')];
    index.put(aFleetCluster({ name: 'late', conditions: joining }));
    const states = (): readonly unknown[] =>
      fleetPage(index, parseFleetQuery(new URLSearchParams('sort=-name')), ALL).rows.map((row) => [
        row.health,
        row.attention,
      ]);
    index.advance();
    expect(states()).toEqual([
      ['Failing', 51],
      ['Progressing', 21],
    ]);
    const before = index.version;
    now += 20 * 60_000;
    index.advance();
    expect(states()).toEqual([
      ['Failing', 92],
      ['Degraded', 62],
    ]);
    expect(index.version).toBeGreaterThan(before);
    const after = index.version;
    index.advance();
    expect(index.version).toBe(after);
  });
});

function anyCluster(random: () => number, name: string, project: string): FleetCluster {
  const hour = String(Math.floor(random() * 12)).padStart(2, '0');
  const states: readonly FleetCluster[] = [{}, { spec: { paused: true } }, FAILED];
  const state = states[Math.floor(random() * 3)] ?? {};
  const replicas = Math.floor(random() * 4);
  return {
    ...state,
    name,
    project,
    spec: { ...state.spec, nodePools: [{ name: 'workers', replicas, machineType: 'm5.xlarge' }] },
    metadata: { creationTimestamp: at(`${hour}:00`), generation: Math.floor(random() * 1_000) + 2 },
    conditions: [...(state.conditions ?? []), { type: 'Paused', lastTransitionTime: at(`${hour}:30`) }],
    status: { ...state.status, version: random() < 0.5 ? 'v1.9.3' : 'v1.31.4' },
  };
}

/** The same numbers every time (mulberry32). */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
