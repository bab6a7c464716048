import { PlatformError, toStatus } from '@crate/errors';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aPlatform, aReplica, aService } from '../testing/a-platform.js';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { DataDir } from '../up/data-dir.js';
import { claimRun } from '../up/run-file.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { statusCommand } from './status.command.js';

let api: FakeApi;
let answer: FakeAnswer;
beforeEach(async () => {
  answer = { body: aPlatform() };
  api = await FakeApi.start((_method, path) => (path === '/platform/status' ? answer : undefined));
});
afterEach(async () => api.stop());

async function status(...args: string[]): Promise<Written> {
  return outputOf(statusCommand(), ['--kubeconfig', `${api.dataDir}/admin.kubeconfig`, ...args]);
}

describe('crate status of a platform elsewhere', () => {
  it('shows services, replicas and what they stand on', async () => {
    const { stdout, exitCode } = await status();
    expect(stdout.replace(/127\.0\.0\.1:\d+/, 'HOST')).toBe(
      [
        'Crate 0.1.0 at https://HOST: Healthy',
        '',
        '  SERVICE      STATE  READY  KEYS  DUE  OLDEST  IN WORK',
        '  lifecycle    Ready  1/1    4     0    -       1',
        '  policy-mgmt  Ready  1/1    4     0    -       1',
        '',
        '  REPLICA            STATE  VERSION  UP  SEEN  LOOP  MEMORY  CLOCK  NATS',
        '  lifecycle@one:7    Ready  0.1.0    1h  2s    12%   123MB   1ms    0.4ms',
        '  policy-mgmt@one:7  Ready  0.1.0    1h  2s    12%   123MB   1ms    0.4ms',
        '',
        '  NATS 2.10.0, 0.5 ms there and back',
        '  PostgreSQL 17.2, primary, 31 of 100 connections, of lifecycle, policy-mgmt',
        '  0 runs under way, 0 leases and locks',
        '  Upgrade: 0.1.0 is the newest',
        '',
      ].join('\n'),
    );
    expect(exitCode).toBe(0);
  });

  it('names who is silent and what to do, and fails', async () => {
    const replicas = [aReplica({ name: 'policy-mgmt@one:7', state: 'Silent', silentMs: 90_000 })];
    const problem = { severity: 'critical', area: 'service', subject: 'policy-mgmt' } as const;
    answer = {
      body: aPlatform({
        health: 'Failing',
        problems: [{ ...problem, message: 'Does not answer', remedy: 'See whether it runs' }],
        services: [aService('lifecycle'), aService('policy-mgmt', { state: 'Silent', answered: false, replicas })],
      }),
    };
    const { stdout, exitCode } = await status();
    expect(stdout).toMatch(/policy-mgmt +Silent +0\/1/);
    expect(stdout).toMatch(/policy-mgmt@one:7 +Silent +0\.1\.0 +1h +1m30s/);
    expect(stdout).toContain('FAILS  policy-mgmt: Does not answer\n       → See whether it runs\n');
    expect(exitCode).toBe(1);
  });

  it('shows people who do not run it whether services are ready', async () => {
    const { kind, at, version } = aPlatform();
    const services = [{ name: 'policy-mgmt', state: 'Degraded' }];
    answer = { body: { kind, at, version, detail: 'summary', health: 'Degraded', services } };
    const { stdout, exitCode } = await status();
    expect(stdout).toMatch(/: Degraded\n\n {2}SERVICE +STATE\n {2}policy-mgmt +Degraded\n$/);
    expect(exitCode).toBe(1);
  });

  it('prints all of it as data', async () => {
    expect(JSON.parse((await status('-o', 'json')).stdout)).toEqual(aPlatform());
  });

  it('says what the platform says when it refuses', async () => {
    answer = { status: 401, body: toStatus(new PlatformError('Unauthenticated', 'Unauthorized')) };
    await expect(status()).rejects.toMatchObject({ code: 'Unauthenticated' });
  });
});

describe('crate status of the platform here', () => {
  const OFFER = { version: '0.2.0', newest: '0.2.0', channel: 'stable', releasedAt: 'T', isSecurity: false } as const;

  beforeEach(async () => {
    const [startedAt, processes] = ['2026-11-25T09:00:00Z', {}];
    const running = {
      pid: process.pid,
      startedAt,
      readyAt: startedAt,
      apiUrl: 'https://HOST',
      sandboxUrl: '-',
      processes,
    };
    await claimRun(new DataDir(api.dataDir), running);
  });

  it.each([
    {
      name: 'and that there is a newer version',
      available: OFFER,
      want: /\n\nVersion 0\.2\.0 is there; see .*crate platform upgrade --plan/,
    },
    { name: 'and nothing of versions where none is newer', available: null, want: /PID {2}READY\n$/ },
  ])('shows what runs, $name', async ({ available, want }) => {
    answer = { body: aPlatform({ upgrade: { available, reason: 'X', message: 'Version 0.2.0 is there' } }) };
    const { stdout } = await outputOf(statusCommand(), ['--data-dir', api.dataDir]);
    expect(stdout).toMatch(want);
  });

  it('is told although the platform does not say more', async () => {
    answer = undefined;
    const { stdout, exitCode } = await outputOf(statusCommand(), ['--data-dir', api.dataDir]);
    expect([stdout, exitCode]).toEqual([expect.stringMatching(/^API https:\/\/HOST \(ready\)/), 0]);
  });
});
