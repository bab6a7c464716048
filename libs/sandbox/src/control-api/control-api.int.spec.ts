import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemoryLogger } from '@crate/telemetry';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { runSandbox, type RunningSandbox } from '../sandbox.js';
import { SandboxClient } from './sandbox-client.js';

let directory: string;
let sandbox: RunningSandbox;
let client: SandboxClient;

async function start(): Promise<void> {
  sandbox = await runSandbox({ dataDir: directory, port: 0, latencyScale: 0, logger: new InMemoryLogger() });
  client = new SandboxClient(sandbox.url);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandbox-'));
  await start();
});

afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true });
});

afterEach(() => client.removeAllFaults());

function socketOf(session: { reattach: Readonly<Record<string, object>> }): string {
  return (session.reattach['hashicorp/aws'] as { Addr: { String: string } }).Addr.String;
}

describe('provider sessions', () => {
  it('open a socket that only its owner may use, and close it', async () => {
    const session = await client.startProviderSession({ account: '123456789012', region: 'us-east-1' });
    const socket = socketOf(session);

    expect((await stat(socket)).isSocket()).toBe(true);
    expect((await stat(join(socket, '..'))).mode & 0o777).toBe(0o700);
    expect(socket.length).toBeLessThan(100);
    await client.stopProviderSession(session.id);
    await expect(stat(socket)).rejects.toMatchObject({ code: 'ENOENT' });
    await client.stopProviderSession(session.id);
  });

  it('are refused for an account that is none', async () => {
    await expect(client.startProviderSession({ account: 'mine', region: 'us-east-1' })).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [expect.objectContaining({ field: 'body.account' })] },
    });
  });
});

describe('faults', () => {
  it('are put, listed and removed by name', async () => {
    await client.putFault('no-machines', { kind: 'quota', type: 'aws_instance', limit: 2 });
    await client.putFault('slow', { kind: 'eventual-consistency', delayMs: 500 });
    await client.putFault('no-machines', { kind: 'quota', type: 'aws_instance', limit: 1 });

    expect(await client.listFaults()).toEqual([
      { name: 'no-machines', kind: 'quota', type: 'aws_instance', limit: 1 },
      { name: 'slow', kind: 'eventual-consistency', delayMs: 500 },
    ]);
    await client.removeFault('slow');
    await expect(client.removeFault('slow')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('are refused when they make no sense, naming the field', async () => {
    await expect(client.putFault('rain', { kind: 'throttle', probability: 7 })).rejects.toMatchObject({
      code: 'InvalidSpec',
      details: { causes: [expect.objectContaining({ field: 'body.probability' })] },
    });
    await expect(client.putFault('No Name', { kind: 'credentials' })).rejects.toMatchObject({ code: 'InvalidSpec' });
  });
});

describe('the identity of a caller', () => {
  it('is told, unless a fault rejects the access key', async () => {
    const caller = { account: '123456789012', region: 'eu-west-1', accessKeyId: 'AKIAGOOD' };
    await client.putFault('bad-key', { kind: 'credentials', accessKeyId: 'AKIABAD' });
    expect(await client.getCallerIdentity(caller)).toEqual({ account: '123456789012' });
    const bad = client.getCallerIdentity({ ...caller, accessKeyId: 'AKIABAD' });
    await expect(bad).rejects.toMatchObject({ code: 'Forbidden' });
    await client.removeFault('bad-key');
  });
});

describe('latency', () => {
  it('is set for all accounts or for one', async () => {
    await client.setLatency({ scale: 2, createMs: { aws_lb: 5 } });
    await client.setLatency({ scale: 0 }, '123456789012');

    expect(await client.getLatency()).toEqual({ scale: 2, createMs: { aws_lb: 5 } });
    expect(await client.getLatency('123456789012')).toEqual({ scale: 0, createMs: {} });
    expect(await client.getLatency('999999999999')).toEqual({ scale: 2, createMs: { aws_lb: 5 } });
    expect(sandbox.cloud.latency.of('999999999999', 'aws_lb', 'create')).toBe(10);
    expect(sandbox.cloud.latency.of('123456789012', 'aws_lb', 'create')).toBe(0);
    await client.setLatency({ scale: 0 });
  });
});

describe('the inventory', () => {
  const scope = { account: '123456789012', region: 'eu-west-1' };

  it('lists, by tag, type and account, and removes', async () => {
    const { RESOURCE_TYPES } = await import('../cloud/aws/catalog.js');
    const vpc = RESOURCE_TYPES.get('aws_vpc');
    if (!vpc) throw new Error('No such type');
    for (const cluster of ['red', 'blue']) {
      await sandbox.cloud.aws.create(
        { scope, type: vpc },
        { cidr_block: '10.0.0.0/16', tags_all: { cluster, 'a=b': 'c=d' } },
      );
    }
    const [red] = await client.listInventory({ tags: { cluster: 'red' } });

    expect(red).toEqual({
      provider: 'aws',
      account: '123456789012',
      region: 'eu-west-1',
      type: 'aws_vpc',
      id: expect.stringMatching(/^vpc-/),
      importId: red?.id,
      tags: { cluster: 'red', 'a=b': 'c=d' },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(await client.listInventory({ type: 'aws_vpc', account: '123456789012' })).toHaveLength(2);
    expect(await client.listInventory({ tags: { cluster: 'red', other: 'x' } })).toEqual([]);
    expect(await client.listInventory({ account: '999999999999' })).toEqual([]);

    await client.changeObject(red!, { enable_dns_support: false, tags: { cluster: 'green' } });
    expect(await client.listInventory({ tags: { cluster: 'green' } })).toMatchObject([{ id: red?.id }]);
    expect(await client.listInventory({ tags: { cluster: 'red' } })).toEqual([]);
    expect(sandbox.cloud.inventory.find(scope, 'aws_vpc', red!.id)?.attributes).toMatchObject({
      enable_dns_support: false,
      cidr_block: '10.0.0.0/16',
    });
    const unknown = { ...scope, type: 'aws_nothing', attributes: {} };
    await expect(client.createObject(unknown)).rejects.toMatchObject({
      code: 'BadRequest',
      message: 'The simulated cloud has no objects of type aws_nothing',
    });
    await expect(client.changeObject(red!, { colour: 'red' })).rejects.toMatchObject({ code: 'InvalidSpec' });
    await expect(client.changeObject({ ...red!, id: 'vpc-0' }, {})).rejects.toMatchObject({ code: 'NotFound' });

    for (const object of await client.listInventory()) await client.removeObject(object);
    expect(await client.listInventory()).toEqual([]);
    await expect(client.removeObject(red!)).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('the API', () => {
  it('answers that it is up', async () => {
    expect(await (await fetch(`${sandbox.url}/healthz`)).json()).toEqual({ status: 'ok' });
  });

  it('answers 404 for a path it has not, and 400 for a body that is no JSON', async () => {
    expect((await fetch(`${sandbox.url}/v2/inventory`)).status).toBe(404);
    const broken = { method: 'PUT', body: '{', headers: { 'content-type': 'application/json' } };
    expect((await fetch(`${sandbox.url}/v1/latency`, broken)).status).toBe(400);
  });

  it('is told apart from an error of the sandbox when it does not answer', async () => {
    await expect(new SandboxClient('http://127.0.0.1:1').listFaults()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('keeps a second process away from its directory', async () => {
    const second = { dataDir: directory, port: 0, latencyScale: 0, logger: new InMemoryLogger() };

    await expect(runSandbox(second)).rejects.toMatchObject({ code: 'AlreadyExists' });
    expect(await (await fetch(`${sandbox.url}/healthz`)).json()).toEqual({ status: 'ok' });
  });

  it('keeps everything over a restart', async () => {
    await client.putFault('no-machines', { kind: 'quota', type: 'aws_instance', limit: 2 });
    await client.setLatency({ scale: 3 });
    await sandbox.close();
    await start();

    expect(await client.listFaults()).toHaveLength(1);
    expect((await client.getLatency()).scale).toBe(3);
  });
});
