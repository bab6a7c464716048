import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { addDefault } from './default-command.js';

async function run(...args: string[]): Promise<string> {
  let told = '';
  const command = (name: string): Command => new Command(name).option('-o <format>').action(() => void (told = name));
  const group = addDefault(new Command('secrets'), command('status')).addCommand(command('rotate')).exitOverride();
  group.configureOutput({ writeErr: (text) => (told += text) });
  await group.parseAsync(args, { from: 'user' }).catch(() => undefined);
  return told;
}

describe('the command of a group that runs where none is named', () => {
  it.each([
    { args: [], want: 'status' },
    { args: ['-o', 'json'], want: 'status' },
    { args: ['status'], want: 'status' },
    { args: ['rotate'], want: 'rotate' },
    { args: ['list'], want: "error: unknown command 'list'\n(there are: status, rotate)\n" },
  ])('$args: $want', async ({ args, want }) => {
    expect(await run(...args)).toBe(want);
  });
});
