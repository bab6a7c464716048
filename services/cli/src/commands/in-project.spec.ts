import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { DataDir } from '../up/data-dir.js';
import { FakeApi } from '../testing/fake-api.js';
import { outputOf } from '../testing/output-of.js';
import { driftCommand } from './drift.command.js';
import { keysCommand } from './keys.command.js';
import { logsCommand } from './logs.command.js';
import { notificationsCommand } from './notifications.command.js';
import { planCommand } from './plan.command.js';
import { stateCommand } from './state.command.js';
import { sweepCommand } from './sweep.command.js';

const COMMANDS: readonly (readonly [string, () => Command, ...string[]])[] = [
  ['logs', logsCommand, 'cluster/demo'],
  ['plan', planCommand, 'cluster/demo'],
  ['plan show', planCommand, 'show', 'demo-1'],
  ['drift show', driftCommand, 'show', 'demo'],
  ['state list', stateCommand, 'list', 'demo'],
  ['sweep', sweepCommand, 'aws', '--dry-run'],
  ['keys list', keysCommand, 'list'],
  ['notifications list', notificationsCommand, 'list'],
];

let api: FakeApi;
let asked: string[];
beforeEach(async () => {
  asked = [];
  api = await FakeApi.start((_method, path) => {
    asked.push(path);
    return undefined;
  });
  const file = new DataDir(api.dataDir).adminKubeconfig();
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^(\s+)(user: .*)$/m, '$1$2\n$1namespace: team-b'));
});
afterEach(async () => api.stop());

describe('a command about what lies in a Project', () => {
  it.each(COMMANDS)('takes that of the context where none is named: crate %s', async (_name, command, ...args) => {
    await expect(outputOf(command(), [...args, '--data-dir', api.dataDir])).rejects.toMatchObject({ code: 'NotFound' });
    expect(asked.join()).toContain('/namespaces/team-b/');
  });

  it.each(COMMANDS)('takes the one that is named: crate %s -n', async (_name, command, ...args) => {
    const named = [...args, '-n', 'team-c', '--data-dir', api.dataDir];
    await expect(outputOf(command(), named)).rejects.toMatchObject({ code: 'NotFound' });
    expect(asked.join()).toContain('/namespaces/team-c/');
  });
});
