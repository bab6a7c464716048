import { join } from 'node:path';
import { recoveryCommand } from '../commands/recovery.command.js';
import { DataDir } from '../up/data-dir.js';
import type { InstallationSettings } from './config.js';

/** `crate recovery` with `args` for the installation's own database, which nobody outside of it reaches. */
export async function runRecovery({ dir }: InstallationSettings, args: readonly string[]): Promise<void> {
  const [action = 'status', ...further] = args;
  const file = join(new DataDir(dir).service('postgres'), 'database-url');
  await recoveryCommand().parseAsync([action, '--database-url-file', file, ...further], { from: 'user' });
}
