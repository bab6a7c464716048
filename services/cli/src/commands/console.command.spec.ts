import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@crate/testing';
import { FakeApi } from '../testing/fake-api.js';
import { consoleCommand } from './console.command.js';

let api: FakeApi;
let asked: string[];
let printed: string[];
let directory: string;
const browser = process.env['BROWSER'];

beforeEach(async () => {
  asked = [];
  printed = [];
  directory = await mkdtemp(join(tmpdir(), 'crate-browser-'));
  jest.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  api = await FakeApi.start((method, path, _body, { authorization }) => {
    asked.push(`${method} ${path} ${authorization}`);
    return { status: 201, body: { code: 'abc', path: '/console/sign-in#code=abc', expiresAt: '2026-01-01T00:00:00Z' } };
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  if (browser === undefined) delete process.env['BROWSER'];
  else process.env['BROWSER'] = browser;
  await api.stop();
  await rm(directory, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<void> {
  await consoleCommand().parseAsync([...args, '--data-dir', api.dataDir], { from: 'user' });
}

describe('crate console', () => {
  it('prints an address that is good once, and no token', async () => {
    await run('--no-browser');
    expect(asked).toEqual(['POST /console/sign-in-codes Bearer token']);
    expect(printed).toEqual([expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/console\/sign-in#code=abc$/)]);
  });

  it('opens it', async () => {
    const program = join(directory, 'browser');
    const opened = join(directory, 'opened');
    await writeFile(program, `#!/bin/sh\nprintf %s "$1" > "${opened}"\n`);
    await chmod(program, 0o755);
    process.env['BROWSER'] = program;
    await run();
    await eventually(async () => expect(await readFile(opened, 'utf8')).toMatch(/\/console\/sign-in#code=abc$/));
    expect(printed.join('\n')).not.toContain('token');
  });
});
