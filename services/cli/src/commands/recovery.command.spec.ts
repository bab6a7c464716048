import { expect, it } from '@jest/globals';
import { outputOf } from '../testing/output-of.js';
import { recoveryCommand } from './recovery.command.js';

it('refuses what is no URL of a database, before anything is asked', async () => {
  const args = ['take-back', 'demo', '-n', 'team-a', '--from', 'nonsense', '--data-dir', '/nowhere'];
  await expect(outputOf(recoveryCommand().exitOverride(), args)).rejects.toMatchObject({
    code: 'commander.invalidArgument',
  });
});
