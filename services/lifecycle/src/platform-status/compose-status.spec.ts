import { platformStatusSchema, type PlatformStatus, type ServiceReport } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { aReplica, aReport } from '../testing/a-report.js';
import { composeStatus, summaryOf, type OwnFacts } from './compose-status.js';
import type { ServiceAnswer } from './service-answers.js';

const OWN: OwnFacts = {
  at: new Date('2026-11-22T18:00:01.000Z'),
  version: '0.1.0',
  nats: { connected: true, server: 'nats', version: '2.10.0', roundTripMs: 0.5, reconnects: 0 },
  hasJetStream: false,
  upgrade: { available: null, reason: 'UpToDate', message: '0.1.0 is the newest' },
};

function answer(report: ServiceReport | undefined, changes: Partial<ServiceAnswer> = {}): ServiceAnswer {
  const service = report?.service ?? 'policy-mgmt';
  return { service, answered: true, ...(report ? { report } : {}), ageMs: 0, tookMs: 4, ...changes };
}

const status = (...answers: readonly ServiceAnswer[]): PlatformStatus => composeStatus(answers, OWN);
const of = (changes: Partial<ServiceReport>): PlatformStatus => status(answer(aReport(changes)));

describe('a platform that is well', () => {
  it('has nothing for anybody to do, and is as the schema promises', () => {
    const found = of({});
    expect([found.health, found.problems, found.versions]).toEqual(['Healthy', [], ['0.1.0']]);
    expect(platformStatusSchema.parse(found)).toEqual(found);
  });

  it('does not make up releases', () => {
    expect(of({}).upgrade).toEqual(OWN.upgrade);
  });
});

describe('a service', () => {
  it.each([
    { name: 'is Ready when all replicas are', replicas: ['Ready', 'Ready'], want: 'Ready' },
    { name: 'is Degraded when one is silent', replicas: ['Ready', 'Silent'], want: 'Degraded' },
    { name: 'is NotReady when none is ready', replicas: ['NotReady', 'Silent'], want: 'NotReady' },
    { name: 'is Ready whoever ended or was replaced', replicas: ['Ready', 'Stopped', 'Replaced'], want: 'Ready' },
  ] as const)('$name', ({ replicas, want }) => {
    expect(of({ replicas: replicas.map((state) => aReplica({ state })) }).services[0]?.state).toBe(want);
  });

  it('that does not answer is shown as it was last, and its replicas as silent once they must be', () => {
    const silent = (ageMs: number): PlatformStatus =>
      status(answer(aReport(), { answered: false, ageMs, message: 'No answer within 2 s' }));
    expect(silent(5_000).services[0]).toMatchObject({
      state: 'Silent',
      replicas: [{ state: 'Ready', silentMs: 6_000 }],
    });
    const later = silent(20_000);
    expect(later.services[0]).toMatchObject({ asOf: aReport().at, replicas: [{ state: 'Silent', silentMs: 21_000 }] });
    expect([later.health, later.problems]).toMatchObject([
      'Failing',
      [
        {
          severity: 'critical',
          area: 'service',
          subject: 'policy-mgmt',
          message: expect.stringContaining('last seen'),
        },
      ],
    ]);
  });

  it('that was never heard of is named', () => {
    const found = status(answer(undefined, { answered: false, message: 'Nobody listens' }));
    expect(found.services[0]).toMatchObject({ name: 'policy-mgmt', state: 'Unknown', replicas: [] });
    expect(found.problems[0]?.message).toBe('Is not there (it was never heard of): Nobody listens');
  });
});

describe('a problem', () => {
  const database = aReport().database as NonNullable<ServiceReport['database']>;
  const queue = { ...aReport().queues[0]!, due: 3, oldestWaitSeconds: 301 };
  const byHand = { kind: 'TerraformState', task: 'plan', namespace: 'team-a', name: 'demo', holder: 'vera' } as const;

  it.each<{ name: string; given: Partial<ServiceReport>; want: string }>([
    {
      name: 'a silent replica',
      given: { replicas: [aReplica(), aReplica({ state: 'Silent' })] },
      want: 'warning service',
    },
    {
      name: 'a check that fails',
      given: { replicas: [aReplica(), aReplica({ state: 'NotReady' })] },
      want: 'warning service',
    },
    { name: 'work that nobody takes up', given: { queues: [queue] }, want: 'critical queue' },
    { name: 'a forgotten lock', given: { leases: [{ ...byHand, state: 'orphaned' }] }, want: 'warning lease' },
    {
      name: 'a part that does not answer',
      given: { missing: [{ part: 'queue', message: 'x' }] },
      want: 'warning service',
    },
    { name: 'a recovery', given: { recovering: { since: 'x', reason: 'y' } }, want: 'warning recovery' },
    { name: 'a standby', given: { database: { ...database, role: 'standby' } }, want: 'critical postgres' },
    {
      name: 'taken connections',
      given: { database: { ...database, connections: { used: 86, most: 100 } } },
      want: 'warning postgres',
    },
    {
      name: 'a long transaction',
      given: { database: { ...database, oldestTransactionSeconds: 301 } },
      want: 'warning postgres',
    },
    {
      name: 'a certificate that ends',
      given: { certificates: [{ use: 'webhook', expiresAt: '2026-12-01T00:00:00.000Z' }] },
      want: 'warning certificate',
    },
    {
      name: 'a certificate that has ended',
      given: { certificates: [{ use: 'webhook', expiresAt: '2026-11-01T00:00:00.000Z' }] },
      want: 'critical certificate',
    },
    {
      name: 'clocks apart',
      given: { replicas: [aReplica(), aReplica({ clockSkewMs: -9_000 })] },
      want: 'warning clock',
    },
    {
      name: 'clocks too far apart',
      given: { replicas: [aReplica(), aReplica({ clockSkewMs: 40_000 })] },
      want: 'critical clock',
    },
    {
      name: 'two versions',
      given: { replicas: [aReplica(), aReplica({ version: '0.2.0' })] },
      want: 'warning version',
    },
  ])('is $name', ({ given, want }) => {
    const { problems, health } = of(given);
    expect(problems.map(({ severity, area }) => `${severity} ${area}`)).toEqual([want]);
    expect(problems.every(({ message, remedy }) => message !== '' && remedy !== '')).toBe(true);
    expect(health).toBe(want.startsWith('critical') ? 'Failing' : 'Degraded');
  });

  it.each<{ name: string; given: Partial<ServiceReport> }>([
    {
      name: 'a lease of a process that died: another takes the key',
      given: { leases: [{ ...byHand, kind: 'Work', epoch: '7', state: 'orphaned' }] },
    },
    {
      name: 'the lock of a run that died: the next run takes it',
      given: { leases: [{ ...byHand, epoch: '7', state: 'orphaned' }] },
    },
    {
      name: 'a replica that ended in order',
      given: { replicas: [aReplica(), aReplica({ state: 'Stopped', version: '0.0.9' })] },
    },
    {
      name: 'a certificate that lasts',
      given: { certificates: [{ use: 'api', expiresAt: '2027-01-01T00:00:00.000Z' }] },
    },
  ])('is not $name', ({ given }) => {
    expect(of(given).problems).toEqual([]);
  });

  it.each<{ name: string; given: Partial<ServiceReport>; want: readonly string[] }>([
    { name: 'another one that knows of no recovery', given: {}, want: ['cloud-mgmt'] },
    { name: 'one that could not say', given: { missing: [{ part: 'recovery', message: 'x' }] }, want: [] },
    { name: 'one that recovers, too', given: { recovering: { since: 'x', reason: 'y' } }, want: [] },
  ])('is, beside a service that recovers, $name', ({ given, want }) => {
    const recovering = aReport({ recovering: { since: 'x', reason: 'y' } });
    const { problems } = status(answer(recovering), answer(aReport({ service: 'cloud-mgmt', ...given })));
    const unaware = problems.filter(({ message }) => /Does not recover/.test(message));
    expect(unaware.map(({ subject }) => subject)).toEqual(want);
  });

  it('that is critical comes first', () => {
    const { problems } = of({ missing: [{ part: 'runs', message: 'x' }], queues: [queue] });
    expect(problems.map(({ severity }) => severity)).toEqual(['critical', 'warning']);
  });

  it('is a NATS that is away', () => {
    const found = composeStatus([], { ...OWN, nats: { connected: false, reconnects: 3 } });
    expect([found.health, found.problems[0]?.area]).toEqual(['Failing', 'nats']);
  });
});

describe('database servers', () => {
  it('are shown once, with all whose tables they hold', () => {
    const cloud = aReport({ service: 'cloud-mgmt' });
    const elsewhere = aReport({ service: 'cluster-mgmt', database: { ...aReport().database!, version: '16.4' } });
    const silent = aReport({ service: 'lifecycle', database: { ...aReport().database!, name: 'gone' } });
    const found = status(
      ...[answer(aReport()), answer(cloud), answer(elsewhere)],
      answer(silent, { answered: false, message: 'x' }),
    );
    expect(found.postgres.map(({ services, version }) => [services, version])).toEqual([
      [['policy-mgmt', 'cloud-mgmt'], '17.2'],
      [['cluster-mgmt'], '16.4'],
    ]);
  });

  it('are as the one says that saw the worst', () => {
    const seen = (service: string, used: number, oldestTransactionSeconds: number): ServiceAnswer =>
      answer(
        aReport({
          service,
          database: { ...aReport().database!, connections: { used, most: 100 }, oldestTransactionSeconds },
        }),
      );
    const found = status(seen('policy-mgmt', 20, 0), seen('cloud-mgmt', 30, 900), seen('lifecycle', 25, 0));
    const worst = { connections: { used: 30, most: 100 }, oldestTransactionSeconds: 900 };
    expect(found.postgres).toMatchObject([{ ...worst, services: ['policy-mgmt', 'cloud-mgmt', 'lifecycle'] }]);
  });
});

describe('what everybody may know', () => {
  it('holds no host, holder, Project, remedy or number', () => {
    const leases = [
      { kind: 'Work', task: 'cluster', name: 'secret-cluster', holder: 'host-7', state: 'live' } as const,
    ];
    const full = of({ leases, replicas: [aReplica({ host: 'host-7', state: 'NotReady' })] });
    expect(summaryOf(full)).toEqual({
      ...{ kind: 'PlatformStatus', detail: 'summary', at: '2026-11-22T18:00:01.000Z', health: 'Failing' },
      ...{ version: '0.1.0', services: [{ name: 'policy-mgmt', state: 'NotReady' }] },
    });
  });
});

describe('a platform that looks after its own cluster', () => {
  const own = composeStatus([answer(aReport({}))], { ...OWN, inCluster: true });

  it('says so to everybody: nobody is offered to make clusters there', () => {
    expect([own.inCluster, summaryOf(own).inCluster]).toEqual([true, true]);
  });

  it('is told from one that makes clusters', () => {
    expect([of({}), summaryOf(of({}))].map((told) => 'inCluster' in told)).toEqual([false, false]);
  });
});

describe('a newer release', () => {
  const release = { channel: 'stable', releasedAt: '2026-11-20T00:00:00Z', newest: '0.2.0', version: '0.2.0' };
  const withUpgrade = (upgrade: PlatformStatus['upgrade']): PlatformStatus =>
    composeStatus([answer(aReport({}))], { ...OWN, upgrade });

  it('is no problem, unless it closes a hole', () => {
    const told = { reason: 'UpgradeAvailable', message: 'Version 0.2.0 is there' };
    expect(withUpgrade({ ...told, available: { ...release, isSecurity: false } }).problems).toEqual([]);
    expect(withUpgrade({ ...told, available: { ...release, isSecurity: true } }).problems).toMatchObject([
      { severity: 'warning', area: 'version', remedy: 'Upgrade to 0.2.0' },
    ]);
  });

  it.each([
    ['nobody can know of', 'IndexUnreadable', /CRATE_RELEASES_INDEX/],
    ['this version cannot read', 'ReleaseUnreadable', /Helm/],
    ['this version cannot read, and closes a hole,', 'SecurityReleaseUnreadable', /Helm/],
  ])('that %s is a problem', (_, reason, remedy) => {
    const { problems } = withUpgrade({ available: null, reason, message: 'It is so' });
    const want = { severity: 'warning', area: 'version', message: 'It is so' };
    expect(problems).toMatchObject([{ ...want, remedy: expect.stringMatching(remedy) }]);
  });
});
