import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { forbidden, PlatformError, toStatus, unauthenticated } from '@crate/errors';
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

interface Answer {
  readonly code?: number;
  readonly body: string;
  readonly breaksOff?: boolean;
}

let dir: DataDir;
let server: Server;
let requests: URL[];
let printed: string[];
let answers: Record<string, Answer>;
/** One after the other. */
let watches: Answer[];

beforeEach(async () => {
  requests = [];
  printed = [];
  answers = {};
  watches = [];
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
    const isAgain = 'again' in answers && requests.length > 1;
    const given = answers[isAgain ? 'again' : asked.pathname];
    const { code = 200, body, breaksOff } = (asked.searchParams.has('watch') ? watches.shift() : given) ?? { body: '' };
    response.writeHead(code);
    if (breaksOff) response.write(body, () => response.destroy());
    else response.end(body);
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

  it('leaves no part under the name of the whole when the connection breaks off', async () => {
    answers['/audit/events'] = { body: '{"seq":1}\n', breaksOff: true };
    const file = join(dir.root, 'audit.jsonl');
    await expect(run('export', '-O', file)).rejects.toMatchObject({ code: 'Unavailable' });
    expect((await readdir(dir.root)).filter((name) => name.startsWith('audit'))).toEqual([]);
  });

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
  const path = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/auditevents';
  const next = { ...EVENT, code: 200, reason: undefined, object: { ...EVENT.object, subresource: 'kubeconfig' } };
  const later = {
    ...EVENT,
    metadata: { ...EVENT.metadata, name: 'lifecycle.9', resourceVersion: '19' },
    time: '2026-01-01T00:00:09.000Z',
  };
  const ended = { code: 401, body: JSON.stringify(toStatus(unauthenticated('The token has ended'))) };
  const list = (resourceVersion: string, ...items: object[]): { body: string } => ({
    body: JSON.stringify({ metadata: { resourceVersion }, items }),
  });
  const stream = (...events: object[]): { body: string } => ({
    body: events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  });

  it('prints what was, then what comes, over connections that end, until that is not allowed any more', async () => {
    answers[path] = list('16', EVENT, OF_ALL);
    watches = [stream({ type: 'ADDED', object: next }, { type: 'BOOKMARK', object: { metadata: {} } }), ended];
    await expect(run('tail', '-n', 'team-a', '--verb', 'delete', '--since', '2h')).rejects.toMatchObject({
      code: 'Unauthenticated',
    });
    expect(printed).toEqual([
      'TIME                      PROJECT  USER  VERB    RESOURCE  NAME  CODE  REASON',
      '2026-01-01T00:00:00.000Z  team-a   ada   delete  clusters  demo  403   Forbidden',
      '2026-01-01T00:00:00.000Z  -        ada   delete  projects  -     200   -',
      '2026-01-01T00:00:00.000Z  team-a   ada   delete  clusters/kubeconfig  demo  200   -',
    ]);
    const [first, ...watched] = requests.map(({ searchParams }) => searchParams);
    expect(first?.get('fieldSelector')).toMatch(/^verb=delete,since=20\d\d-/);
    expect(watched.map((query) => [query.get('fieldSelector'), query.get('resourceVersion')])).toEqual([
      ['verb=delete', '16'],
      ['verb=delete', '17'],
    ]);
  });

  it('says when the log does not reach back, and goes on with what there is', async () => {
    const told = jest.spyOn(console, 'error').mockReturnValue(undefined);
    answers[path] = list('16', EVENT);
    const gone = { type: 'ERROR', object: toStatus(new PlatformError('Gone', 'Too old')) };
    watches = [stream({ type: 'ADDED', object: later }, gone), ended];
    answers['again'] = list('20', later, { ...later, metadata: { ...later.metadata, name: 'lifecycle.10' } });
    await expect(run('tail', '-n', 'team-a')).rejects.toMatchObject({ code: 'Unauthenticated' });
    expect(printed.slice(1).map((line) => line.slice(0, 24))).toEqual([EVENT.time, later.time, later.time]);
    expect(told.mock.calls.flat().join()).toContain('is not in the log any more');
    expect(requests[2]?.searchParams.get('fieldSelector')).toBe(`since=${later.time}`);
  });
});
