import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { badRequest } from '@crate/errors';
import { parsePack, type PolicyPack } from '@crate/policy-engine';
import { shippedPacksDir } from '../config.js';
import { writeOut } from '../output/out-file.js';
import { packReference } from '../policy/pack-reference.js';

interface DocsOptions {
  readonly packs?: string;
  readonly out?: string;
}

export async function runPolicyDocs({ packs = shippedPacksDir(), out }: DocsOptions): Promise<void> {
  const text = packReference(await packsOf(packs));
  if (out === undefined) process.stdout.write(text);
  else await writeOut(out, text);
}

async function packsOf(directory: string): Promise<readonly PolicyPack[]> {
  const entries = await readdir(directory).catch((cause: unknown) => {
    throw badRequest(`Cannot read ${directory}: ${(cause as Error).message}`);
  });
  const files = entries.filter((name) => name.endsWith('.yaml')).sort();
  if (files.length === 0) throw badRequest(`There are no packs in ${directory}`);
  return Promise.all(files.map(async (file) => parsePack(file, await readFile(join(directory, file), 'utf8'))));
}
