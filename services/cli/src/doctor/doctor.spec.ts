import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@crate/errors';
import { ServedKinds, type ServedKind } from '../objects/served-kinds.js';
import { aCluster, readyStatus } from '../testing/a-cluster.js';
import { runCheck, type Finding } from './check.js';
import { queueFinding, readinessFinding } from './local-checks.js';
import { diskFinding, memoryFinding, nodeFinding, openFilesFinding, proxyFinding } from './machine-checks.js';
import { parseMetrics, type Metrics } from './metrics.js';
import {
  certificateFinding,
  clockFinding,
  expiryOf,
  kindsFinding,
  readyFinding,
  tokenFinding,
  versionFinding,
} from './platform-checks.js';

const GIB = 1024 ** 3;
const NOW = Date.parse('2026-01-31T12:00:00Z');
const peer = (validTo: string, date?: string): Parameters<typeof certificateFinding>[0] => ({
  validTo: new Date(validTo),
  issuer: 'CA',
  ...(date === undefined ? {} : { date: new Date(date) }),
});

describe('what a check makes of what it sees', () => {
  it.each<[string, Finding, Finding['level'], RegExp]>([
    ['a node that is old', nodeFinding('18.19.0'), 'fail', /too old/],
    ['a node that is new', nodeFinding('24.1.0'), 'ok', /v24.1.0/],
    ['a full disk', diskFinding('/data', GIB / 2), 'fail', /0.5 GiB free for \/data/],
    ['a disk that fills', diskFinding('/data', 3 * GIB), 'warn', /3.0 GiB/],
    ['enough disk', diskFinding('/data', 30 * GIB), 'ok', /30.0 GiB/],
    ['no memory left', memoryFinding(GIB / 2, 8 * GIB), 'fail', /0.5 GiB of 8.0 GiB/],
    ['little memory', memoryFinding(1.5 * GIB, 8 * GIB), 'warn', /1.5 GiB/],
    ['few open files', openFilesFinding(1024), 'warn', /1024/],
    ['open files without a limit', openFilesFinding(Infinity), 'ok', /No limit/],
    ['no proxy', proxyFinding({}), 'ok', /None/],
    ['a proxy in the way', proxyFinding({ HTTPS_PROXY: 'http://p' }), 'warn', /HTTPS_PROXY set/],
    ['a proxy with exceptions', proxyFinding({ HTTPS_PROXY: 'http://p', NO_PROXY: 'x,localhost' }), 'ok', /set/],
    [
      'a certificate that has ended',
      certificateFinding(peer('2026-01-30T00:00:00Z'), NOW),
      'fail',
      /Expired on 2026-01-30/,
    ],
    [
      'a certificate that ends soon',
      certificateFinding(peer('2026-02-05T00:00:00Z'), NOW),
      'warn',
      /2026-02-05, from CA/,
    ],
    ['a certificate that is good', certificateFinding(peer('2027-02-05T00:00:00Z'), NOW), 'ok', /2027/],
    ['a clock that is right', clockFinding(peer('2027-01-01', '2026-01-31T12:00:01Z'), NOW), 'ok', /As on/],
    ['a clock that is off', clockFinding(peer('2027-01-01', '2026-01-31T12:00:20Z'), NOW), 'warn', /20s apart/],
    ['a clock that is wrong', clockFinding(peer('2027-01-01', '2026-01-31T13:00:00Z'), NOW), 'fail', /1h apart/],
    ['a platform that tells no time', clockFinding(peer('2027-01-01'), NOW), 'skip', /does not tell/],
    ['a token without an end', tokenFinding('olga', undefined, NOW), 'ok', /As olga$/],
    ['a token that ends', tokenFinding('olga', NOW + 60_000, NOW), 'warn', /ends in 1m/],
    ['the same release', versionFinding('v0.1.0', 'v1.31.4+crate.0.1.7'), 'ok', /platform v0.1.7/],
    ['another release', versionFinding('v0.1.0', 'v1.31.4+crate.0.2.0'), 'warn', /platform v0.2.0/],
    ['another product', versionFinding('v0.1.0', 'v1.31.4'), 'warn', /v1.31.4/],
    [
      'a service that is not there',
      kindsFinding(new ServedKinds([kindOf('lifecycle.crate.dev')])),
      'fail',
      /policy-mgmt/,
    ],
    [
      'a service that the platform does without',
      kindsFinding(
        new ServedKinds(['lifecycle', 'cluster', 'policy'].map((name) => kindOf(`${name}.crate.dev`))),
        new Set(['cloud-mgmt']),
      ),
      'ok',
      /3 kinds/,
    ],
    ['no cluster', readyFinding([]), 'ok', /none yet/],
    ['clusters that are Ready', readyFinding([aCluster(readyStatus())]), 'ok', /All 1/],
    ['a cluster that is not', readyFinding([aCluster()]), 'warn', /1 of 1 are not Ready: team-a\/demo/],
    [
      'a service that lost its database',
      readinessFinding('lifecycle', { ok: false, checks: [{ name: 'postgres', ok: false, message: 'refused' }] }),
      'fail',
      /postgres: refused/,
    ],
  ])('%s', (_name, finding, level, message) => {
    expect([finding.level, finding.message]).toEqual([level, expect.stringMatching(message)]);
    // Who is told that something is wrong is told what to do.
    expect(finding.remedy !== undefined).toBe(level === 'warn' || level === 'fail');
  });
});

function kindOf(group: string): ServedKind {
  const names = { kind: 'K', plural: 'ks', singular: 'k', shortNames: [], categories: [] };
  return { ...names, group, version: 'v1', namespaced: true, verbs: [], subresources: [] };
}

describe('a queue', () => {
  const look = (due: number, passes: number): Metrics =>
    parseMetrics(
      [
        '# HELP crate_reconcile_queue_depth …',
        `crate_reconcile_queue_depth{reconciler="cluster",state="due"} ${due}`,
        'crate_reconcile_queue_depth{reconciler="cluster",state="leased"} 2',
        `crate_reconcile_pass_seconds_count{reconciler="cluster",outcome="set\\"tled"} ${passes}`,
      ].join('\n'),
    );

  it.each<[string, readonly [Metrics, Metrics], Finding['level']]>([
    ['with nothing due', [look(0, 1), look(0, 1)], 'ok'],
    ['that goes down', [look(5, 1), look(3, 1)], 'ok'],
    ['that stays as long, with passes', [look(5, 1), look(5, 9)], 'ok'],
    ['that nobody works on', [look(5, 1), look(5, 1)], 'warn'],
  ])('%s', async (_name, looks, want) => {
    const left = [...looks];
    expect((await queueFinding(async () => left.shift() ?? [], 1)).level).toBe(want);
  });
});

describe('a check', () => {
  it('makes a failure of what is thrown, and of what does not end', async () => {
    const base = { area: 'a', name: 'n' };
    const cause = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    const thrown = await runCheck({ ...base, look: async () => Promise.reject(unavailable('Cannot reach x', cause)) });
    expect(thrown).toMatchObject({ level: 'fail', message: 'Cannot reach x: nothing listens there' });
    const endless = await runCheck({ ...base, look: async () => new Promise(() => undefined) }, 1);
    expect(endless).toMatchObject({ level: 'fail', message: 'No answer within 0.001 s' });
  });
});

describe('the end of a token', () => {
  it('is that of a JWT', () => {
    const claims = Buffer.from(JSON.stringify({ exp: 1_700_000_000 })).toString('base64url');
    expect(expiryOf(`h.${claims}.s`)).toBe(1_700_000_000_000);
    expect([expiryOf(undefined), expiryOf('opaque'), expiryOf('a.b.c')]).toEqual([undefined, undefined, undefined]);
  });
});
