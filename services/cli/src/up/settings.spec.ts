import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { claimPort, isFree } from '@crate/local-servers';
import { freePort } from '@crate/testing';
import { removeDataDir, temporaryDataDir } from '../testing/temporary-data-dir.js';
import type { DataDir } from './data-dir.js';
import { DEFAULT_API_PORT, ensureSettings, type Settings } from './settings.js';

let dir: DataDir;
const holders: Server[] = [];
beforeEach(async () => {
  dir = await temporaryDataDir();
});
afterEach(async () => {
  await removeDataDir(dir);
  for (const server of holders.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Takes a port as another program would. */
async function take(port = 0): Promise<number> {
  const server = createServer();
  holders.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Free, as one that somebody names without asking `freePort`. */
async function unclaimedPort(): Promise<number> {
  const port = await take();
  await new Promise((resolve) => holders.pop()?.close(resolve));
  return port;
}

function portsOf({ healthPorts, ...rest }: Settings): number[] {
  return [...Object.values(rest), ...Object.values(healthPorts)];
}

describe('ensureSettings', () => {
  it('gives every part a port of its own that is free', async () => {
    const settings = await ensureSettings(dir, ['one', 'two'], await freePort());
    const ports = portsOf(settings);
    expect(new Set(ports).size).toBe(6);
    for (const port of ports) expect(await isFree(port)).toBe(true);
  });

  it('gives no part the port asked for the API, nor one kept for another part', async () => {
    const apiPort = await unclaimedPort();
    const natsPort = await unclaimedPort();
    await writeFile(dir.settingsFile(), JSON.stringify({ natsPort }));
    await ensureSettings(dir, [], apiPort);
    expect(await claimPort(apiPort)).toBe(false);
    expect(await claimPort(natsPort)).toBe(false);
  });

  it('keeps ports from one start to the next, also of services left out in between', async () => {
    const first = await ensureSettings(dir, ['one', 'two'], await freePort());
    expect(await ensureSettings(dir, ['one'])).toEqual(first);
    expect(await ensureSettings(dir, ['one', 'two'])).toEqual(first);
  });

  it('replaces only the port that was taken meanwhile, and keeps the new one', async () => {
    const first = await ensureSettings(dir, ['one'], await freePort());
    await take(first.natsPort);

    const second = await ensureSettings(dir, ['one']);
    expect(second).toEqual({ ...first, natsPort: second.natsPort });
    expect(second.natsPort).not.toBe(first.natsPort);
    expect(await ensureSettings(dir, ['one'])).toEqual(second);
  });

  it('gives way with the API, too, as long as nobody asked for the port', async () => {
    const port = await freePort();
    await ensureSettings(dir, [], port);
    await take(port);
    expect((await ensureSettings(dir, [])).apiPort).not.toBe(port);
  });

  it('leaves the default port to a platform that is starting and does not listen yet', async () => {
    await claimPort(DEFAULT_API_PORT);
    const { apiPort } = await ensureSettings(dir, []);
    expect(apiPort).not.toBe(DEFAULT_API_PORT);
    expect((await ensureSettings(dir, [])).apiPort).toBe(apiPort);
  });

  it('takes the port asked for instead of the one kept, and keeps that one', async () => {
    await ensureSettings(dir, [], await freePort());
    const port = await freePort();
    expect((await ensureSettings(dir, [], port)).apiPort).toBe(port);
    expect((await ensureSettings(dir, [])).apiPort).toBe(port);
  });

  it('refuses the port asked for when it is taken, naming by whom and what to do', async () => {
    const port = await take();
    const given = ensureSettings(dir, [], port);

    await expect(given).rejects.toMatchObject({ code: 'Conflict' });
    const holder = process.platform === 'linux' ? `\\(process ${process.pid}\\)` : 'another program';
    await expect(given).rejects.toThrow(new RegExp(`Port ${port} is taken by .*${holder}.*give another --port`));
  });

  it('says which file is damaged', async () => {
    await writeFile(dir.settingsFile(), '{"apiPort":');
    await expect(ensureSettings(dir, [])).rejects.toThrow(`${dir.settingsFile()} is damaged`);
  });
});
