import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { invalidSpec, toStatus, type PlatformError } from '@crate/errors';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from '../up/data-dir.js';
import { writeRunRecord } from '../up/run-file.js';
import { sandboxCommand } from './sandbox.command.js';

const ITEMS = [
  {
    provider: 'aws',
    account: '111122223333',
    region: 'us-east-1',
    type: 'aws_instance',
    id: 'i-1',
    tags: { Name: 'demo-workers-0' },
    createdAt: '2026-01-01T00:00:00Z',
    importId: 'i-1',
  },
];

const LATENCY = { scale: 2, createMs: { aws_vpc: 50 } };

let dir: DataDir;
let sandbox: Server;
let requests: string[];
/** Answered to whatever is changed. */
let refusal: PlatformError | undefined;
let printed: string[];
beforeEach(async () => {
  requests = [];
  refusal = undefined;
  printed = [];
  jest.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(...String(text).split('\n').slice(0, -1));
    return true;
  });
  sandbox = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push([request.method, request.url, body].filter(Boolean).join(' '));
      if (refusal && request.method !== 'GET') response.writeHead(422).end(JSON.stringify(toStatus(refusal)));
      else response.end(JSON.stringify(answerTo(request.url ?? '')));
    });
  });
  await new Promise<void>((resolve) => sandbox.listen(0, '127.0.0.1', resolve));
  dir = await temporaryDataDir();
  const sandboxUrl = `http://127.0.0.1:${(sandbox.address() as AddressInfo).port}`;
  await writeRunRecord(dir, { pid: process.pid, startedAt: '', apiUrl: '', sandboxUrl, processes: {} });
});
afterEach(async () => {
  jest.restoreAllMocks();
  sandbox.closeAllConnections();
  await new Promise((resolve) => sandbox.close(resolve));
  await removeDataDir(dir);
});

function answerTo(url: string): unknown {
  if (url.startsWith('/v1/inventory')) return ITEMS;
  if (url.startsWith('/v1/faults')) return [{ name: 'no-instances', kind: 'quota', type: 'aws_instance', limit: 0 }];
  return LATENCY;
}

async function run(...args: string[]): Promise<void> {
  await sandboxCommand().parseAsync([...args, '--data-dir', dir.root], { from: 'user' });
}

describe('crate sandbox inventory', () => {
  it('prints what was promised as JSON, and no more', async () => {
    await run('inventory', '-o', 'json');
    expect(JSON.parse(printed.join('\n'))).toEqual(ITEMS.map(({ importId: _importId, ...item }) => item));
  });

  it('prints a table with names', async () => {
    await run('inventory');
    expect(printed).toEqual([
      'TYPE          ID   ACCOUNT       REGION     CREATED               NAME',
      'aws_instance  i-1  111122223333  us-east-1  2026-01-01T00:00:00Z  demo-workers-0',
    ]);
  });

  it('asks for what the options say', async () => {
    await run('inventory', '--account', '1', '--type', 'aws_vpc', '--tag', 'a=b', '--tag', 'c=d=e');
    const url = new URL(requests[0]?.split(' ')[1] ?? '', 'http://sandbox');
    expect([...url.searchParams]).toEqual([
      ['account', '1'],
      ['type', 'aws_vpc'],
      ['tag', 'a=b'],
      ['tag', 'c=d=e'],
    ]);
  });
});

describe('crate sandbox change and remove', () => {
  it('changes attributes, as what they are', async () => {
    await run(
      'change',
      'aws_vpc',
      'vpc-1',
      'enable_dns_support=false',
      'tags={"a":"b=c"}',
      'region=eu',
      '--account',
      '1',
    );
    const attributes = { enable_dns_support: false, tags: { a: 'b=c' }, region: 'eu' };
    expect(requests).toEqual([`PATCH /v1/inventory?account=1&type=aws_vpc&id=vpc-1 ${JSON.stringify({ attributes })}`]);
    expect(printed).toEqual(['aws_vpc vpc-1 is changed']);
  });

  it('removes an object', async () => {
    await run('remove', 'aws_vpc', 'vpc-1', '--account', '1');
    expect(requests).toEqual(['DELETE /v1/inventory?account=1&type=aws_vpc&id=vpc-1']);
  });

  it('finds the account by the id, as docs/drift.md has it', async () => {
    await run('remove', 'aws_instance', 'i-1');
    expect(requests.at(-1)).toBe('DELETE /v1/inventory?account=111122223333&type=aws_instance&id=i-1');
    await expect(run('remove', 'aws_instance', 'i-2')).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('crate sandbox fault', () => {
  it('puts a fault in force with its numbers as numbers', async () => {
    await run('fault', 'set', 'no-instances', '--kind', 'quota', '--type', 'aws_instance', '--limit', '0');
    expect(requests).toEqual(['PUT /v1/faults/no-instances {"kind":"quota","type":"aws_instance","limit":0}']);
    expect(printed).toEqual(['Fault no-instances is in force']);
  });

  it.each<[string, string, string]>([
    ['body.delayMs', 'FieldValueForbidden', '--delay-ms has no meaning for faults of kind quota'],
    ['body.accessKeyId', 'FieldValueRequired', 'faults of kind quota need --access-key-id'],
    ['body.limit', 'FieldValueInvalid', '--limit: is too small'],
    ['path.name', 'FieldValueInvalid', '<name>: is too small'],
  ])('says of the flag what the sandbox says of %s (%s)', async (field, reason, message) => {
    refusal = invalidSpec('The request is not valid', [{ field, reason, message: 'is too small' }]);
    await expect(run('fault', 'set', 'few', '--kind', 'quota')).rejects.toMatchObject({ code: 'BadRequest', message });
  });

  it('lists what is in force, also without a word', async () => {
    await run('fault');
    await run('fault', 'list');
    expect(printed.slice(0, 2)).toEqual([
      'NAME          KIND   DETAIL',
      'no-instances  quota  type=aws_instance limit=0',
    ]);
    expect(printed.slice(2)).toEqual(printed.slice(0, 2));
  });

  it('takes one away, or all', async () => {
    await run('fault', 'clear', 'no-instances');
    await run('fault', 'clear');
    expect(requests).toEqual(['DELETE /v1/faults/no-instances', 'DELETE /v1/faults']);
  });
});

describe('crate sandbox latency', () => {
  it.each([
    { args: [], want: ['GET /v1/latency'] },
    {
      args: ['--scale', '2', '--account', '1'],
      want: ['PUT /v1/latency?account=1 {"scale":2}', 'GET /v1/latency?account=1'],
    },
    { args: ['--zero'], want: ['PUT /v1/latency {"scale":0}', 'GET /v1/latency'] },
  ])('asks for $want', async ({ args, want }) => {
    await run('latency', ...args);
    expect(requests).toEqual(want);
    expect(printed.join('\n')).toBe('It takes 2 times as long as usual\n\nTYPE     TO CREATE ONE\naws_vpc  50 ms');
  });

  it('names the flag that makes no sense', async () => {
    refusal = invalidSpec('The request is not valid', [
      { field: 'body.scale', reason: 'FieldValueInvalid', message: 'no' },
    ]);
    await expect(run('latency', '--scale', '-1')).rejects.toMatchObject({ code: 'BadRequest', message: '--scale: no' });
  });

  it('is data where that is asked for', async () => {
    await run('latency', '-o', 'json');
    expect(JSON.parse(printed.join('\n'))).toEqual(LATENCY);
  });
});
