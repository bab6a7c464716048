import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { unavailable, toStatus } from '@crate/errors';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf } from '../testing/output-of.js';
import { versionCommand } from './version.command.js';

let api: FakeApi;
let answer: FakeAnswer;
beforeEach(async () => {
  answer = { body: { gitVersion: 'v1.31.4+crate.0.1.0' } };
  api = await FakeApi.start((_method, path) => (path === '/version' ? answer : undefined));
});
afterEach(async () => api.stop());

describe('crate version', () => {
  it('is that of the program and of the platform', async () => {
    const { stdout } = await outputOf(versionCommand(), ['--data-dir', api.dataDir]);
    expect(stdout).toMatch(/^Client v\d\S+\nServer v1\.31\.4\+crate\.0\.1\.0\n$/);
  });

  it('is that of the program where the platform does not answer, and says so', async () => {
    answer = { status: 503, body: toStatus(unavailable('Not now')) };
    const lines: unknown[] = [];
    const log = jest.spyOn(console, 'log').mockImplementation((line: unknown) => void lines.push(line));
    const run = versionCommand().parseAsync(['--data-dir', api.dataDir], { from: 'user' });
    await expect(run).rejects.toMatchObject({ code: 'Unavailable' });
    log.mockRestore();
    expect(lines).toEqual([expect.stringMatching(/^Client v\d/)]);
  });
});
