import { readInstallationSettings, type InstallationSettings } from './config.js';
import { prepareDatabases } from './databases.js';
import { prepareFiles } from './files.js';
import { runKeys } from './keys.js';
import { runRecovery } from './recovery.js';
import { toldError } from './told-error.js';

const LONGEST_MS = 5 * 60_000;
const STEPS: Readonly<
  Record<InstallationSettings['step'], (settings: InstallationSettings, args: readonly string[]) => Promise<void>>
> = {
  files: async (settings) => {
    await prepareFiles(settings);
    console.log('The files of the installation are ready');
  },
  databases: async (settings) => {
    await prepareDatabases(settings, AbortSignal.timeout(LONGEST_MS));
    console.log('The databases of the installation are ready');
  },
  keys: runKeys,
  recovery: runRecovery,
};

try {
  const settings = readInstallationSettings();
  await STEPS[settings.step](settings, process.argv.slice(2));
} catch (error) {
  console.error(toldError(error));
  process.exitCode = 1;
}
