import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnvironment } from '../config.js';
import { crate } from './crate.js';

/** Runs before the CLI does, and writes down what it loads. */
const HOOK = `
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES_FILE, JSON.stringify(urls)));
`;

/** URLs of all modules that the built CLI loads for a command line, however that ends. */
export async function modulesLoadedBy(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'crate-modules-'));
  try {
    const file = join(directory, 'modules.json');
    const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(HOOK).toString('base64')}`;
    await crate(args, { ...readProcessEnvironment(), ...env, NODE_OPTIONS, LOADED_MODULES_FILE: file });
    return JSON.parse(await readFile(file, 'utf8')) as string[];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
