import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { ensureServerCertificate } from '../up/certificates.js';
import type { DataDir } from '../up/data-dir.js';
import { renderKubeconfig } from '../up/kubeconfig.js';
import { writeSecretFile } from '../up/secret-file.js';
import { notificationsCommand } from './notifications.command.js';

const CHANNELS = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/notificationchannels';
const HEAD = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'X',
  metadata: { name: 'alerts', namespace: 'team-a' },
};
const ATTEMPT = { attempt: 1, at: '2026-01-01T00:00:00.000Z', outcome: 'Delivered', httpStatus: 204, milliseconds: 12 };

let dir: DataDir;
let server: Server;
let requests: string[];
let printed: string[];
let answer: object;

beforeEach(async () => {
  requests = [];
  printed = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(...String(text).split('\n').slice(0, -1));
    return true;
  });
  dir = await temporaryDataDir();
  const { certificateFile, keyFile, ca } = await ensureServerCertificate(dir);
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  server = createServer({ cert, key }, ({ method = '', url = '' }, response) => {
    requests.push(`${method} ${url}`);
    response
      .writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeSecretFile(dir.adminKubeconfig(), renderKubeconfig({ server: url, ca, user: 'admin', token: 'a-token' }));
});
afterEach(async () => {
  jest.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await removeDataDir(dir);
});

async function run(...words: readonly string[]): Promise<unknown> {
  return notificationsCommand().parseAsync([...words, '-n', 'team-a', '--data-dir', dir.root], { from: 'user' });
}

describe('crate notifications', () => {
  it('lists channels, and says why one does not deliver', async () => {
    const conditions = [{ type: 'Delivering', status: 'False', reason: 'DeliveryFailed', message: 'It answered 503' }];
    answer = {
      items: [
        {
          ...HEAD,
          spec: { type: 'webhook', severities: ['Critical', 'Warning'], paused: false },
          status: { conditions, pending: 3, failed: 1 },
        },
      ],
    };
    await run('list');
    expect(requests).toEqual([`GET ${CHANNELS}`]);
    expect(printed[1]?.split(/\s{2,}/)).toEqual([
      ...['alerts', 'webhook', 'Critical,Warning', 'False', '3', '1', '-', 'It answered 503'],
    ]);
  });

  it('shows deliveries with what came of the last attempt', async () => {
    const delivery = {
      ...{ id: 'id-1', state: 'Pending', type: 'dev.crate.cluster.X', severity: 'Warning', object: 'Cluster/demo' },
      ...{ reason: 'QuotaExceeded', message: 'Spent', occurrences: 4, createdAt: '2026-01-01T00:00:00.000Z' },
      dueAt: '2026-01-01T00:05:00.000Z',
      attempts: [{ ...ATTEMPT, outcome: 'Retry', httpStatus: 503, detail: 'The receiver answered 503' }],
    };
    answer = { ...HEAD, items: [delivery] };
    await run('deliveries', 'alerts', '--limit', '5', '--state', 'Pending');
    expect(requests).toEqual([`GET ${CHANNELS}/alerts/deliveries?limit=5&state=Pending`]);
    expect(printed[1]?.split(/\s{2,}/)).toEqual([
      ...['2026-01-01T00:00:00.000Z', 'Pending', 'Warning', 'Cluster/demo', 'QuotaExceeded', '4', '1', '503'],
      ...['2026-01-01T00:05:00.000Z', 'The receiver answered 503'],
    ]);
  });

  it('tells what came of a test, and ends as badly as it did', async () => {
    answer = { ...HEAD, id: 'id-1', attempt: ATTEMPT };
    await run('test', 'alerts');
    expect(requests).toEqual([`POST ${CHANNELS}/alerts/test`]);
    expect(printed).toEqual(['Delivered, HTTP 204, 12 ms']);

    answer = {
      ...HEAD,
      id: 'id-2',
      attempt: { ...ATTEMPT, outcome: 'Failed', httpStatus: 404, detail: 'No such hook\u001b[2J' },
    };
    await expect(run('test', 'alerts')).rejects.toMatchObject({ code: 'Unavailable' });
    expect(printed.at(-1)).toBe('Failed, HTTP 404, 12 ms: No such hook\\u001b[2J');
  });
});
