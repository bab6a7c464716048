import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT, writtenFiles, writtenFolders } from './files/written-files.js';

/** Writes the files of the chart that are generated, and takes away those that no longer are; with --check tells which are out of date instead. */
async function main(isCheck: boolean): Promise<void> {
  const files = writtenFiles();
  for (const { path, text } of files) {
    const file = join(ROOT, path);
    if (!isCheck) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) complain(path);
  }
  for (const path of await leftOvers(new Set(files.map((file) => file.path)))) {
    if (isCheck) complain(path);
    else await rm(join(ROOT, path));
  }
}

async function leftOvers(known: ReadonlySet<string>): Promise<readonly string[]> {
  const found = await Promise.all(
    writtenFolders().map(async (folder) => {
      const names = await readdir(join(ROOT, folder)).catch(() => []);
      return names.map((name) => `${folder}/${name}`);
    }),
  );
  return found.flat().filter((path) => !known.has(path));
}

function complain(path: string): void {
  process.stderr.write(`${path} is out of date: node libs/helm-chart/dist/main.js\n`);
  process.exitCode = 1;
}

await main(process.argv.includes('--check'));
