import { afterEach, expect, it, jest } from '@jest/globals';
import type { Command } from 'commander';
import { outputOf } from '../testing/output-of.js';

const userInfo = jest.fn();
jest.unstable_mockModule('node:os', () => ({ ...jest.requireActual<object>('node:os'), userInfo }));
const { createProgram } = await import('../program.js');
afterEach(() => void userInfo.mockReset());

/** As of a container whose user id has no name. */
function nameless(): never {
  throw new Error('uv_os_get_passwd returned ENOENT');
}

function recovery(): Command {
  const found = createProgram().commands.find((command) => command.name() === 'recovery');
  if (!found) throw new Error('There is no such command');
  return found;
}

it('refuses what is no URL of a database, before anything is asked', async () => {
  const args = ['take-back', 'demo', '-n', 'team-a', '--from', 'nonsense', '--data-dir', '/nowhere'];
  await expect(outputOf(recovery().exitOverride(), args)).rejects.toMatchObject({
    code: 'commander.invalidArgument',
  });
});

it('is there where a user has no name, as all commands are', () => {
  userInfo.mockImplementation(nameless);
  expect(recovery().commands.map((command) => command.name())).toContain('confirm');
});

it.each([['confirm'], ['take-back', 'demo', '-n', 'team-a', '--from', 'postgresql://restored.example.com/crate']])(
  'asks who does it where the user has no name: %s',
  async (...args) => {
    userInfo.mockImplementation(nameless);
    const refused = outputOf(recovery(), [...args, '--data-dir', '/nowhere']);
    await expect(refused).rejects.toMatchObject({ code: 'BadRequest', message: expect.stringContaining('--by') });
  },
);
