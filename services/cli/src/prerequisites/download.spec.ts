import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@crate/testing';
import { startFileServer, type FileServer } from '../testing/file-server.js';
import { checksumOf, installRelease, type Release } from './download.js';

const ARCHIVE = Buffer.from('#!/bin/sh\necho installed\n');
const SUM = createHash('sha256').update(ARCHIVE).digest('hex');

let directory: string;
let server: FileServer;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crate-install-'));
  server = await startFileServer({ '/v1/tool.bin': ARCHIVE, '/v1/SHA256SUMS': `${SUM}  tool.bin\n` });
});
afterEach(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

function release(overrides: Partial<Release> = {}): Release {
  return {
    archiveUrl: `${server.url}/v1/tool.bin`,
    checksumsUrl: `${server.url}/v1/SHA256SUMS`,
    extract: async (archive, into) => {
      await writeFile(join(into, 'tool'), archive);
      return join(into, 'tool');
    },
    ...overrides,
  };
}

/** Gives the URL of a file on it. */
async function listen(given: Server): Promise<string> {
  await new Promise<void>((resolve) => given.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(given.address() as AddressInfo).port}/tool.bin`;
}

describe('installRelease', () => {
  it('installs the program when its checksum is the published one', async () => {
    const target = join(directory, 'bin', 'tool');
    await installRelease(release(), target);

    expect(await readFile(target)).toEqual(ARCHIVE);
    expect((await stat(target)).mode & 0o777).toBe(0o755);
    expect(await readdir(join(directory, 'bin'))).toEqual(['tool']);
  });

  it('replaces an older one', async () => {
    const target = join(directory, 'tool');
    await writeFile(target, 'old');
    await installRelease(release(), target);
    expect(await readFile(target)).toEqual(ARCHIVE);
  });

  it.each([
    { name: 'a wrong checksum', sums: `${'0'.repeat(64)}  tool.bin\n`, text: 'its release says 0000' },
    { name: 'no checksum for it', sums: `${SUM}  other.bin\n`, text: 'its release says nothing' },
  ])('installs nothing with $name', async ({ sums, text }) => {
    server.files['/v1/SHA256SUMS'] = sums;
    const given = installRelease(release(), join(directory, 'tool'));

    await expect(given).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining(text),
    });
    expect(await readdir(directory)).toEqual([]);
  });

  it('installs nothing and names the host when it cannot be reached', async () => {
    const archiveUrl = `http://127.0.0.1:${await freePort()}/tool.bin`;
    const given = installRelease(release({ archiveUrl }), join(directory, 'tool'));

    await expect(given).rejects.toMatchObject({
      code: 'Unavailable',
      message: `cannot be fetched from ${new URL(archiveUrl).host}: nothing listens there`,
    });
    expect(await readdir(directory)).toEqual([]);
  });

  it.each([
    { name: 'from the beginning', begin: () => undefined },
    { name: 'in the middle', begin: (response: ServerResponse) => response.write('#!') },
  ])('gives up on a server that falls silent $name, and says so', async ({ begin }) => {
    const silent = createServer((_request, response) => void begin(response));
    const archiveUrl = await listen(silent);
    const given = installRelease(release({ archiveUrl, checksumsUrl: archiveUrl }), join(directory, 'tool'), {
      silenceMs: 500,
    });
    const message = `cannot be fetched from ${new URL(archiveUrl).host}: nothing came for 0.5 s`;
    await expect(given).rejects.toMatchObject({ code: 'Unavailable', message });
    silent.closeAllConnections();
    silent.close();
  });

  it('gives up at once when it is told to', async () => {
    const giveUp = new AbortController();
    const silent = createServer(() => giveUp.abort(new Error('Ctrl-C')));
    const archiveUrl = await listen(silent);
    const given = installRelease(release({ archiveUrl }), join(directory, 'tool'), { signal: giveUp.signal });
    await expect(given).rejects.toThrow('Ctrl-C');
    silent.closeAllConnections();
    silent.close();
  });

  it('names the answer of a server that does not have it', async () => {
    const given = installRelease(release({ archiveUrl: `${server.url}/v9/tool.bin` }), join(directory, 'tool'));
    await expect(given).rejects.toMatchObject({ message: `${server.url}/v9/tool.bin answered 404` });
  });

  it('leaves nothing behind when the archive does not hold what it should', async () => {
    const extract = (): Promise<string> => Promise.reject(new Error('no such file in the archive'));
    const given = installRelease(release({ extract }), join(directory, 'tool'));

    await expect(given).rejects.toThrow('no such file');
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('checksumOf', () => {
  it.each([
    { sums: 'abc  tool\n', want: 'abc', reason: 'text mode' },
    { sums: 'abc *tool\n', want: 'abc', reason: 'binary mode' },
    { sums: 'ABC  tool\r\n', want: 'abc', reason: 'upper case and line ends of other systems' },
    { sums: 'abc  my-tool\n', want: undefined, reason: 'a name that only ends the same' },
    { sums: '', want: undefined, reason: 'an empty file' },
  ])('gives $want for $reason', ({ sums, want }) => {
    expect(checksumOf('tool', sums)).toBe(want);
  });
});
