import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@crate/testing';
import type { ApiAnswer } from '../testing/api-call.js';
import { PlatformBench } from '../testing/platform-bench.js';

const run = promisify(execFile);
const LIMITS = { perSecond: 4, burst: 4 };
const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';
const hasKubectl = spawnSync('kubectl', ['version', '--client']).error === undefined;

let bench: PlatformBench;

beforeAll(async () => {
  bench = await PlatformBench.start();
  for (const service of ['cloud-mgmt', 'cluster-mgmt', 'policy-mgmt']) await bench.startNeighbour(service, {});
  const api = { limits: LIMITS, signIn: { failureBurst: 5, failuresPerSecond: 0.01 } };
  await bench.startLifecycle({ api: bench.apiConfig(api) });
  await eventually(async () => expect((await list(bench.tokenOf('anna', []))).status).toBe(200));
});
afterAll(() => bench.close());

function list(token: string): Promise<ApiAnswer> {
  return bench.call({ path: PROJECTS, token });
}

async function metric(name: string): Promise<readonly string[]> {
  const text = await bench.hostOf('lifecycle').foundation.metrics.text();
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('the guard of the front door', () => {
  it('tells who sends too much when to come back, and records a write that it refused', async () => {
    const token = bench.tokenOf('noisy', []);
    const path = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo';
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 100 }, () => bench.call({ method: 'DELETE', path, token })));
    const refused = answers.filter(({ status }) => status === 429);
    const mostTaken = LIMITS.burst + LIMITS.perSecond * Math.ceil((performance.now() - begun) / 1_000);
    expect(refused.length).toBeGreaterThanOrEqual(100 - mostTaken);
    expect(refused[0]).toMatchObject({
      headers: { 'retry-after': '1' },
      body: { kind: 'Status', reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } },
    });
    // Others are not concerned.
    expect((await list(bench.tokenOf('bob', []))).status).toBe(200);
    const admin = bench.tokenFor('platform-admin');
    const selector = encodeURIComponent('user=noisy,code=429');
    const { body } = await bench.call({ path: `/audit/events?fieldSelector=${selector}`, token: admin });
    expect(typeof body.text === 'string' ? body.text : JSON.stringify(body)).toContain('"decision": "denied"');
    expect(await metric('crate_http_requests_limited_total{')).toEqual([expect.stringContaining('reason="rate"')]);
  });

  (hasKubectl ? it : it.skip)('is understood by kubectl, which waits and tries again', async () => {
    const kubeconfig = join(tmpdir(), `crate-guard-${process.pid}.yaml`);
    await writeFile(kubeconfig, bench.kubeconfigOf('carl', []));
    const args = ['--kubeconfig', kubeconfig, 'get', '--raw', PROJECTS];
    const answers = await Promise.all(Array.from({ length: 10 }, () => run('kubectl', args)));
    expect(answers.every(({ stdout }) => stdout.includes('ProjectList'))).toBe(true);
  });

  it('slows down who guesses tokens, and nobody who is known', async () => {
    const anna = bench.tokenOf('anna', []);
    await list(anna);
    for (let n = 0; n < 5; n += 1) expect((await list(`guess-${n}`)).status).toBe(401);
    expect((await list('guess-x')).status).toBe(429);
    expect((await list(anna)).status).toBe(200);
    expect(await metric('crate_http_requests_limited_total{')).toContainEqual(
      expect.stringContaining('reason="sign_in"'),
    );
  });

  it('counts requests by what they asked for', async () => {
    const lines = await metric('crate_http_requests_total{');
    expect(lines).toContainEqual(
      expect.stringContaining('verb="list",group="lifecycle.crate.dev",resource="projects",subresource="",code="200"'),
    );
    expect(lines.join('\n')).not.toMatch(/anna|demo|team-a/);
  });
});
