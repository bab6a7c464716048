import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { FORCE_ANNOTATION } from '@crate/api';
import { forbidden, notFound, toStatus } from '@crate/errors';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { ensureServerCertificate } from '../up/certificates.js';
import type { DataDir } from '../up/data-dir.js';
import { renderKubeconfig } from '../up/kubeconfig.js';
import { writeSecretFile } from '../up/secret-file.js';
import { clusterCommand } from './cluster.command.js';

const PATH = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo';
const BLOCKER = {
  kind: 'aws_vpc',
  name: 'vpc-1',
  reason: 'StillInUse',
  message: 'The vpc has dependencies',
  since: '2026-01-31T12:00:00Z',
  remedy: 'Remove what still uses it',
};

let dir: DataDir;
let server: Server;
let calls: string[];
let bodies: unknown[];
let printed: string;
/** What the next looks find; then nothing. */
let looks: object[];
let refusal: Error | undefined;

beforeEach(async () => {
  [calls, bodies, printed, looks, refusal] = [[], [], '', [], undefined];
  jest.spyOn(console, 'log').mockImplementation((line: string) => void (printed += `${line}\n`));
  dir = await temporaryDataDir();
  const { certificateFile, keyFile, ca } = await ensureServerCertificate(dir);
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  server = createServer({ cert, key }, (request, response) => {
    void (async () => {
      calls.push(`${request.method} ${request.url}`);
      const body = (await request.toArray()).join('');
      if (request.method === 'PATCH') bodies.push(JSON.parse(body));
      if (request.method === 'PATCH' && refusal) return response.writeHead(403).end(JSON.stringify(toStatus(refusal)));
      if (request.method !== 'GET') return response.end('{}');
      const look = looks.shift();
      if (look) return response.end(JSON.stringify(look));
      return response.writeHead(404).end(JSON.stringify(toStatus(notFound('clusters', 'demo'))));
    })();
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

async function run(...args: string[]): Promise<void> {
  const place = ['-n', 'team-a', '--data-dir', dir.root];
  await clusterCommand().parseAsync(['delete', 'demo', ...args, ...place], { from: 'user' });
}

describe('crate cluster delete', () => {
  it('tells what is in the way, each once, until the cluster is gone', async () => {
    const blocked = { status: { deletion: { requestedAt: '', blockers: [BLOCKER] } } };
    looks = [blocked, blocked];
    await run();
    expect(calls).toEqual([`DELETE ${PATH}`, `GET ${PATH}`, `GET ${PATH}`, `GET ${PATH}`]);
    expect(printed).toBe(
      [
        'Cluster "demo" is being deleted',
        'In the way since 2026-01-31T12:00:00Z: aws_vpc vpc-1: The vpc has dependencies',
        '  What to do: Remove what still uses it',
        'Gone',
        '',
      ].join('\n'),
    );
  });

  it('forces with a reason, once the deletion is under way', async () => {
    await run('--force', '--reason', 'the account is closed', '--no-wait');
    expect(calls).toEqual([`DELETE ${PATH}`, `PATCH ${PATH}`]);
    expect(bodies).toEqual([{ metadata: { annotations: { [FORCE_ANNOTATION]: 'the account is closed' } } }]);
  });

  it.each([
    [['--force'], '--force needs --reason'],
    [['--force', '--reason', ' '], '--force needs --reason'],
    [['--reason', 'x'], '--reason is for --force only'],
  ])('asks nobody with %j', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
    expect(calls).toEqual([]);
  });

  it('hands on that somebody may not force', async () => {
    refusal = forbidden('Only administrators');
    await expect(run('--force', '--reason', 'x')).rejects.toMatchObject({
      code: 'Forbidden',
      message: 'Only administrators',
    });
  });
});
