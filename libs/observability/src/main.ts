import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writtenFiles } from './written-files.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Writes the dashboards and rules that are generated; with --check tells which are out of date instead. */
async function main(isCheck: boolean): Promise<void> {
  for (const { path, text } of writtenFiles()) {
    const file = join(ROOT, path);
    if (!isCheck) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
      process.stderr.write(`${path} is out of date: node libs/observability/dist/main.js\n`);
      process.exitCode = 1;
    }
  }
}

await main(process.argv.includes('--check'));
