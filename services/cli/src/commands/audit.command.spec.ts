import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { forbidden, toStatus } from '@crate/errors';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import { ensureServerCertificate } from '../up/certificates.js';
import type { DataDir } from '../up/data-dir.js';
import { renderKubeconfig } from '../up/kubeconfig.js';
import { writeSecretFile } from '../up/secret-file.js';
import { auditCommand } from './audit.command.js';

const EVENT = {
  metadata: { name: 'lifecycle.7', namespace: 'team-a', resourceVersion: '17' },
  time: '2026-01-01T00:00:00.000Z',
  user: 'ada',
  verb: 'delete',
  object: { resource: 'clusters', name: 'demo' },
  code: 403,
  reason: 'Forbidden',
};
const OF_ALL = {
  ...EVENT,
  metadata: { namespace: '' },
  object: { resource: 'projects' },
  code: 200,
  reason: undefined,
};
const WHOLE = {
  service: 'lifecycle',
  isWhole: true,
  rows: 7,
  checkpoints: 1,
  head: { seq: 7, hash: 'ab' },
  problems: [],
};
const DAMAGED = {
  ...WHOLE,
  service: 'cloud-mgmt',
  isWhole: false,
  problems: [{ seq: 3, message: 'Row 3 is missing' }],
};

let dir: DataDir;
let server: Server;
let requests: URL[];
let printed: string[];
let answers: Record<string, { readonly code?: number; readonly body: string }>;

beforeEach(async () => {
  requests = [];
  printed = [];
  answers = {};
  jest.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(...String(text).split('\n').slice(0, -1));
    return true;
  });
  dir = await temporaryDataDir();
  const { certificateFile, keyFile, ca } = await ensureServerCertificate(dir);
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  server = createServer({ cert, key }, ({ url = '' }, response) => {
    const asked = new URL(url, 'https://x');
    requests.push(asked);
    const { code = 200, body } = answers[asked.searchParams.has('watch') ? 'watch' : asked.pathname] ?? { body: '' };
    response.writeHead(code).end(body);
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
  await auditCommand().parseAsync([...args, '--data-dir', dir.root], { from: 'user' });
}

describe('crate audit export', () => {
  it.each(['-O', '--out', '-o'])(
    'writes the lines as they are, selected by what was asked for, with %s',
    async (flag) => {
      answers['/audit/events'] = { body: '{"seq":1}\n{"seq":2}\n' };
      const file = join(dir.root, 'audit.jsonl');
      await run('export', '-n', 'team-a', '--user', 'ada', '--since', '2026-01-01T00:00:00Z', flag, file);
      expect(await readFile(file, 'utf8')).toBe('{"seq":1}\n{"seq":2}\n');
      expect((await stat(file)).mode & 0o077).toBe(0);
      expect(Object.fromEntries(requests[0]?.searchParams ?? [])).toEqual({
        namespace: 'team-a',
        fieldSelector: 'user=ada,since=2026-01-01T00:00:00Z',
      });
    },
  );

  it('says what it may not', async () => {
    answers['/audit/events'] = { code: 403, body: JSON.stringify(toStatus(forbidden('Not for you'))) };
    await expect(run('export')).rejects.toMatchObject({ code: 'Forbidden', message: 'Not for you' });
  });
});

describe('crate audit verify', () => {
  it('says which public keys are missing when checkpoints prove nothing', async () => {
    answers['/audit/verify'] = { body: JSON.stringify({ logs: [{ ...WHOLE, checkpoints: 3, unproven: 2 }] }) };
    await run('verify');
    expect(printed.at(-1)).toMatch(/^lifecycle: 2 checkpoints prove nothing: .* lifecycle\.past\.jwks\.json$/);
  });

  it('shows every log, and fails when one is damaged', async () => {
    answers['/audit/verify'] = { body: JSON.stringify({ logs: [WHOLE] }) };
    await run('verify');
    expect(printed).toEqual([
      'SERVICE    LOG    ROWS  CHECKPOINTS  HEAD',
      'lifecycle  whole  7     1            lifecycle:7:ab',
    ]);
    answers['/audit/verify'] = { body: JSON.stringify({ logs: [WHOLE, DAMAGED] }) };
    await expect(run('verify', '--checkpoint', 'a:1:b', '--checkpoint', 'c:2:d')).rejects.toMatchObject({
      code: 'Invariant',
    });
    expect(printed.at(-1)).toBe('cloud-mgmt: Row 3 is missing');
    expect(requests[1]?.searchParams.getAll('checkpoint')).toEqual(['a:1:b', 'c:2:d']);
  });
});

describe('crate audit tail', () => {
  it('prints what was, then what comes', async () => {
    const path = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/auditevents';
    answers[path] = { body: JSON.stringify({ metadata: { resourceVersion: '16' }, items: [EVENT, OF_ALL] }) };
    const next = { ...EVENT, code: 200, reason: undefined, object: { ...EVENT.object, subresource: 'kubeconfig' } };
    answers.watch = {
      body: [
        { type: 'ADDED', object: next },
        { type: 'BOOKMARK', object: { metadata: {} } },
      ]
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
    };
    await run('tail', '-n', 'team-a', '--verb', 'delete', '--since', '2h');
    expect(printed).toEqual([
      'TIME                      PROJECT  USER  VERB    RESOURCE  NAME  CODE  REASON',
      '2026-01-01T00:00:00.000Z  team-a   ada   delete  clusters  demo  403   Forbidden',
      '2026-01-01T00:00:00.000Z  -        ada   delete  projects  -     200   -',
      '2026-01-01T00:00:00.000Z  team-a   ada   delete  clusters/kubeconfig  demo  200   -',
    ]);
    const [list, watch] = requests;
    expect(list?.searchParams.get('fieldSelector')).toMatch(/^verb=delete,since=20\d\d-/);
    expect(watch?.searchParams.get('fieldSelector')).toBe('verb=delete');
    expect(watch?.searchParams.get('resourceVersion')).toBe('16');
  });
});
