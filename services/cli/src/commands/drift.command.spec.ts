import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CHECK_DRIFT_ANNOTATION, RESOLVE_DRIFT_ANNOTATION, type DriftReport } from '@crate/api';
import { notFound, toStatus } from '@crate/errors';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { ensureServerCertificate } from '../up/certificates.js';
import type { DataDir } from '../up/data-dir.js';
import { renderKubeconfig } from '../up/kubeconfig.js';
import { writeSecretFile } from '../up/secret-file.js';
import { driftCommand } from './drift.command.js';

const CLUSTER_PATH = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo';
const DIGEST = '0123456789ab';
const REPORT: DriftReport = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'DriftReport',
  metadata: { name: 'demo', namespace: 'team-a' },
  policy: 'observe',
  checkedAt: '2026-11-21T11:00:00Z',
  nextCheckAt: '2026-11-21T12:00:00Z',
  failures: 0,
};
const DRIFT = {
  since: '2026-11-21T11:00:00Z',
  digest: DIGEST,
  resources: [{ address: 'aws_vpc.vpc', type: 'aws_vpc', kind: 'missing', attributes: [] }],
  omitted: 0,
} as const;

let dir: DataDir;
let server: Server;
let patches: { path: string; annotations: Record<string, string> }[];
let printed: string;
/** Answered to each request for the report, in turn; the last for ever. */
let reports: (object | undefined)[];

beforeEach(async () => {
  patches = [];
  printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  jest.spyOn(console, 'log').mockImplementation((line: string) => void (printed += `${line}\n`));
  dir = await temporaryDataDir();
  const { certificateFile, keyFile, ca } = await ensureServerCertificate(dir);
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  server = createServer({ cert, key }, (request, response) => {
    void (async () => {
      const path = request.url ?? '';
      const body = (await request.toArray()).join('');
      if (request.method === 'PATCH') {
        const { metadata } = JSON.parse(body) as { metadata: { annotations: Record<string, string> } };
        patches.push({ path, annotations: metadata.annotations });
        response.end('{}');
        return;
      }
      const report = reports.length > 1 ? reports.shift() : reports[0];
      const answered = patches.at(-1)?.annotations[CHECK_DRIFT_ANNOTATION];
      if (!report) response.writeHead(404).end(JSON.stringify(toStatus(notFound('driftreports', 'demo'))));
      else response.end(JSON.stringify('asked' in report ? { ...report, answered } : report));
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
  await driftCommand().parseAsync([...args, '-n', 'team-a', '--data-dir', dir.root], { from: 'user' });
}

describe('crate drift', () => {
  it('shows what the last comparison found, and asks for none', async () => {
    reports = [{ ...REPORT, drift: DRIFT }];
    await run('show', 'demo');
    expect(printed).toContain('aws_vpc.vpc is missing');
    const lines = printed.split('\n').map((line) => line.replace(/ +/g, ' '));
    expect(lines).toContain(`To put all of it back: crate drift correct demo -n team-a --data-dir ${dir.root}`);
    expect(lines).toContain(`To leave it as it is: crate drift keep demo -n team-a --data-dir ${dir.root}`);
    printed = '';
    await run('show', 'demo', '-o', 'json');
    expect(JSON.parse(printed)).toEqual({ ...REPORT, drift: DRIFT });
    expect(patches).toEqual([]);
  });

  it('asks for a comparison, and shows the one that answers', async () => {
    reports = [undefined, REPORT, { ...REPORT, drift: DRIFT, asked: true }];
    await run('check', 'demo');
    expect(patches).toEqual([{ path: CLUSTER_PATH, annotations: { [CHECK_DRIFT_ANNOTATION]: expect.any(String) } }]);
    expect(printed).toContain('aws_vpc.vpc is missing');
  });

  it('gives up a comparison that does not come', async () => {
    reports = [REPORT];
    await expect(run('check', 'demo', '--timeout', '0.01')).rejects.toMatchObject({ code: 'Timeout' });
  });

  it.each([
    ['correct', 'Putting back'],
    ['keep', 'Keeping'],
  ])('decides to %s the drift that it shows', async (action, text) => {
    reports = [{ ...REPORT, drift: DRIFT }];
    await run(action, 'demo');
    const annotations = { [RESOLVE_DRIFT_ANNOTATION]: `${action}-${DIGEST}` };
    expect(patches).toEqual([{ path: CLUSTER_PATH, annotations }]);
    expect(printed).toContain(`${text} what differs`);
    expect(printed).toContain('aws_vpc.vpc is missing');
  });

  it('has nothing to decide where nothing differs', async () => {
    reports = [REPORT];
    await expect(run('correct', 'demo')).rejects.toMatchObject({ code: 'NotFound' });
    expect(patches).toEqual([]);
  });
});
