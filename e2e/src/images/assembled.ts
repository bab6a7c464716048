import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './checkout.js';

const run = promisify(execFile);

/** An image's root file system, as `npm run assemble` tells of it. */
export interface AssembledImage {
  readonly image: string;
  readonly out: string;
  readonly bytes: number;
  readonly digest: string;
  /** Programs that were not given, and are not in it. */
  readonly missing: readonly string[];
}

/** Assembles every image below `directory`, with this machine's Terraform. */
export async function assembleAll(directory: string): Promise<ReadonlyMap<string, AssembledImage>> {
  return new Map((await assembled('all', directory)).map((each) => [each.image, each]));
}

/** Assembles one image as `directory`, in the same way; `architecture`: for machines of another kind than this one. */
export async function assembleOne(image: string, directory: string, architecture?: string): Promise<AssembledImage> {
  const [made] = await assembled(image, directory, architecture === undefined ? [] : ['--arch', architecture]);
  if (!made) throw new Error(`Nothing was made of ${image}`);
  return made;
}

async function assembled(
  service: string,
  directory: string,
  further: readonly string[] = [],
): Promise<readonly AssembledImage[]> {
  const program = ['all', 'cloud-mgmt'].includes(service)
    ? ['--program', `terraform=${await pathOf('terraform')}`]
    : [];
  const args = ['--service', service, '--out', directory, ...program, ...further, '--newer-base', '--json'];
  const { stdout } = await run(process.execPath, [join(ROOT, 'tools', 'assemble.mjs'), ...args], { cwd: ROOT });
  return JSON.parse(stdout) as AssembledImage[];
}

/** Full path of a program of this machine; rejects when there is none. */
export async function pathOf(program: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', 'command -v "$0" || command -v "/usr/sbin/$0"', program]);
  return stdout.trim();
}
