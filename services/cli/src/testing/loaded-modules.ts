import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readProcessEnvironment } from '../config.js';

/** Runs before the CLI does, and writes down what it loads. */
const HOOK = `
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES_FILE, JSON.stringify(urls)));
`;

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
/** The command line from its modules: in a bundle nobody sees who brought along what. */
const RUN = `const { runCrate } = await import(process.argv[1]); await runCrate(process.argv.slice(2));`;
const TIMEOUT_MS = 120_000;

/** URLs of all modules that the compiled CLI loads for a command line, however that ends. */
export async function modulesLoadedBy(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'crate-modules-'));
  try {
    const file = join(directory, 'modules.json');
    const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(HOOK).toString('base64')}`;
    await runModules(args, { ...readProcessEnvironment(), ...env, NODE_OPTIONS, LOADED_MODULES_FILE: file });
    return JSON.parse(await readFile(file, 'utf8')) as string[];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runModules(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const all = ['--input-type=module', '--eval', RUN, '--', CLI, ...args];
  await new Promise<void>((resolve) => {
    execFile(process.execPath, all, { timeout: TIMEOUT_MS, env }, () => resolve());
  });
}
