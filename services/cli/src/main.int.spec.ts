import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { crate } from './testing/crate.js';
import { removeDataDir, temporaryDataDir } from './testing/temporary-data-dir.js';
import type { DataDir } from './up/data-dir.js';

let empty: DataDir;
beforeAll(async () => {
  empty = await temporaryDataDir();
});
afterAll(async () => removeDataDir(empty));

describe('crate --help', () => {
  it.each([
    { command: '', words: ['up', 'down', 'status', 'kubeconfig', 'sandbox'] },
    { command: 'up', words: ['--data-dir', '--port', '--detach', '--no-example', '--only', '--replicas', 'Ctrl-C'] },
    { command: 'down', words: ['--data-dir', 'the data is kept'] },
    { command: 'status', words: ['--data-dir', '--output', 'exit code 3'] },
    { command: 'kubeconfig', words: ['[cluster]', '--namespace', '--user', '--group'] },
    { command: 'login', words: ['--device'] },
    { command: 'keys', words: ['create', 'revoke'] },
    { command: 'audit', words: ['export', 'verify', 'tail'] },
    { command: 'logs', words: ['--follow'] },
    { command: 'sandbox', words: ['inventory', 'fault', 'latency'] },
    { command: 'sandbox inventory', words: ['--account', '--type', '--tag', '"table", "json"'] },
    { command: 'sandbox fault', words: ['set', 'list', 'clear'] },
    { command: 'sandbox fault set', words: ['--kind', 'quota', 'credentials', '--limit', '--remaining'] },
    { command: 'sandbox latency', words: ['--scale', '--zero'] },
  ])('explains "$command"', async ({ command, words }) => {
    const { code, stdout, stderr } = await crate([...command.split(' ').filter(Boolean), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const word of words) expect(stdout).toContain(word);
  });
});

describe('crate', () => {
  it('says its version as programs do', async () => {
    expect(await crate(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Client v\d/) });
  });

  it.each([
    { reason: 'an unknown command', args: ['upp'], text: "unknown command 'upp'\n(Did you mean up?)" },
    { reason: 'an unknown option', args: ['up', '--detached'], text: "unknown option '--detached'" },
    { reason: 'a port out of range', args: ['up', '--port', '70000'], text: 'Expected 1 to 65535.' },
    { reason: 'too many replicas', args: ['up', '--replicas', '9'], text: 'Expected 1 to 5.' },
    { reason: 'an unknown service', args: ['up', '--only', 'lifecycle,nope'], text: 'Unknown service nope; known: ' },
    { reason: 'an unknown format', args: ['status', '-o', 'xml'], text: 'Allowed choices are table, json, yaml.' },
    { reason: 'a fault without a kind', args: ['sandbox', 'fault', 'set', 'x'], text: "'--kind <kind>' not specified" },
    {
      reason: 'a fault that does not exist',
      args: ['sandbox', 'fault', 'set', 'x', '--kind', 'rain'],
      text: 'Allowed choices are quota',
    },
    { reason: 'a number that is none', args: ['sandbox', 'latency', '--scale', 'fast'], text: 'Expected a number.' },
    {
      reason: 'a tag without a value',
      args: ['sandbox', 'inventory', '--tag', 'x'],
      text: 'Expected key=value, not "x"',
    },
    {
      reason: 'a cluster without its Project',
      args: ['kubeconfig', 'demo'],
      text: '(crate kubeconfig NAME -n PROJECT)',
    },
  ])('refuses $reason in one line, without a stack', async ({ args, text }) => {
    const { code, stdout, stderr } = await crate(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
    expect(stderr).not.toMatch(/\n +at /);
  });
});

describe('on a data directory where nothing runs', () => {
  it('down is done at once', async () => {
    const given = await crate(['down', '--data-dir', empty.root]);
    expect(given).toEqual({ code: 0, stdout: `Nothing runs on ${empty.root}\n`, stderr: '' });
  });

  it('status says so, with an exit code of its own', async () => {
    const given = await crate(['status', '--data-dir', empty.root]);
    expect(given).toEqual({ code: 3, stdout: `Nothing runs on ${empty.root}\n`, stderr: '' });
    const json = await crate(['status', '--data-dir', empty.root, '-o', 'json']);
    expect([json.code, JSON.parse(json.stdout)]).toEqual([3, { running: false }]);
  });

  it('takes the directory from the environment when none is given', async () => {
    const { stdout } = await crate(['status'], { ...process.env, CRATE_DATA_DIR: empty.root });
    expect(stdout).toBe(`Nothing runs on ${empty.root}\n`);
  });

  it.each([
    { args: ['sandbox', 'inventory'], text: 'start it with "crate up' },
    { args: ['sandbox', 'fault', 'list'], text: 'start it with "crate up' },
    { args: ['kubeconfig', 'demo', '-n', 'team-a'], text: 'start it with "crate up' },
  ])('$args says what to do first', async ({ args, text }) => {
    const { code, stderr } = await crate([...args, '--data-dir', empty.root]);
    expect(code).toBe(7);
    expect(stderr).toContain(text);
    expect(stderr).not.toMatch(/\n +at /);
  });
});
