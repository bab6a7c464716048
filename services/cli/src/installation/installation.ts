import { readInstallationSettings } from './config.js';
import { prepareDatabases } from './databases.js';
import { prepareFiles } from './files.js';

try {
  const settings = readInstallationSettings();
  if (settings.step === 'files') await prepareFiles(settings);
  else await prepareDatabases(settings, AbortSignal.timeout(5 * 60_000));
  console.log(`The ${settings.step} of the installation are ready`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
