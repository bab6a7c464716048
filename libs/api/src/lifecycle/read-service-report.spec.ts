import { describe, expect, it } from '@jest/globals';
import { readServiceReport } from './read-service-report.js';

const AT = '2026-11-22T18:00:00.000Z';
const REPLICA = {
  ...{ name: 'cloud-mgmt@one:7', host: 'one', pid: 7, version: '0.2.0', nodeVersion: 'v24.0.0', state: 'Ready' },
  ...{ startedAt: AT, lastSeen: AT, silentMs: 1_000, uptimeSeconds: 60, checks: [] },
  ...{ eventLoop: { utilization: 0.1 }, memory: { residentBytes: 100, heapUsedBytes: 50 } },
  nats: { connected: true, reconnects: 0 },
};
const RUN = {
  program: 'terraform',
  operation: 'apply',
  name: 'demo',
  holder: 'h',
  since: AT,
  epoch: '1',
  state: 'live',
};
const LEASE = { kind: 'Work', task: 'cluster', name: 'demo', holder: 'h', state: 'live' };
const QUEUE = { reconciler: 'r', depth: 1, due: 0, oldestWaitSeconds: 0, inWork: 0, retrying: 0, mostAttempts: 0 };
const DATABASE = {
  ...{ name: 'crate', serverStartedAt: AT, version: '17.2', role: 'primary', standbys: 0, sizeBytes: 1_000 },
  ...{ connections: { used: 20, most: 100 }, oldestTransactionSeconds: 0, migrations: { applied: 1, latest: 'm' } },
};
const REPORT = {
  ...{ service: 'cloud-mgmt', at: AT, answeredBy: 'a:1', replicas: [REPLICA], queues: [], omittedLeases: 0 },
  ...{ leases: [LEASE], runs: [RUN], certificates: [], database: DATABASE, missing: [] },
};
const MESSAGE = '1 of 2 are of a form that this release does not know';

describe('reading what a service tells', () => {
  it('takes all that this release knows, and leaves out the rest', () => {
    expect(readServiceReport({ ...REPORT, mood: 'fine' })).toEqual(REPORT);
  });

  it.each([
    { part: 'runs', foreign: { ...RUN, program: 'tofu' } },
    { part: 'leases', foreign: { ...LEASE, kind: 'EngineState' } },
    { part: 'queues', foreign: { reconciler: 'new' } },
    { part: 'certificates', foreign: 'none' },
  ] as const)(
    'passes over one of $part that a newer release tells in its own words, and says so',
    ({ part, foreign }) => {
      const known = { runs: RUN, leases: LEASE, queues: QUEUE, certificates: { use: 'api', expiresAt: AT } }[part];
      expect(readServiceReport({ ...REPORT, [part]: [foreign, known] })).toEqual({
        ...REPORT,
        [part]: [known],
        missing: [{ part, message: MESSAGE }],
      });
    },
  );

  it('does without a database that it cannot tell', () => {
    const { database: _left, ...rest } = REPORT;
    expect(readServiceReport({ ...REPORT, database: { ...DATABASE, role: 'arbiter' } })).toEqual({
      ...rest,
      missing: [{ part: 'database', message: '1 of 1 are of a form that this release does not know' }],
    });
  });

  it('takes a replica in a state that it does not know for one that is not ready', () => {
    const replicas = [REPLICA, { ...REPLICA, state: 'Warming' }];
    expect(readServiceReport({ ...REPORT, replicas })).toEqual({
      ...REPORT,
      replicas: [REPLICA, { ...REPLICA, state: 'NotReady' }],
    });
  });

  it.each([
    { name: 'no object', given: 'well' },
    { name: 'without replicas', given: { ...REPORT, replicas: undefined } },
    { name: 'with a replica of another form', given: { ...REPORT, replicas: [{ ...REPLICA, version: 2 }] } },
  ])('gives nothing for what is $name', ({ given }) => {
    expect(readServiceReport(given)).toBeUndefined();
  });
});
