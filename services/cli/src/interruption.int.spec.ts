import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clusterObject } from './testing/served.js';
import { FakeApi } from './testing/fake-api.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const SPEC = { nodePools: [{ name: 'web', replicas: 2 }] };

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start((method, path) =>
    method === 'GET' && path.endsWith('/clusters/demo')
      ? { body: clusterObject('demo', { spec: SPEC }) }
      : { body: {} },
  );
});
afterAll(async () => api.stop());

describe('a signal while a command waits', () => {
  it.each([
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
    { signal: 'SIGHUP', code: 129 },
  ] as const)('$signal says that the platform goes on, and how to wait again', async ({ signal, code }) => {
    const args = ['clusters', 'scale', 'demo', '--replicas', '3', '--wait', '-n', 'team-a', '--data-dir', api.dataDir];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let told = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (told === '') child.kill(signal);
      told += chunk.toString();
    });
    expect(await once(child, 'close')).toEqual([code, null]);
    expect(told).toContain('The platform goes on with cluster "demo"');
    expect(told).toContain(`crate wait cluster/demo -n team-a --for condition=Ready --data-dir ${api.dataDir}\n`);
  });
});
