import { hasCode, unavailable } from '@crate/errors';
import { findExecutable, runProcess } from '@crate/process';
import { z } from 'zod';

/** Terraform, or OpenTofu, which takes the same commands. */
export interface TerraformBinary {
  readonly path: string;
  readonly version: string;
}

export interface FindTerraformOptions {
  /** A path or a name; without it `terraform`, then `tofu`. */
  readonly command?: string;
  /** Directories to look in, as in `PATH`. */
  readonly path: string;
}

const versionOutput = z.object({ terraform_version: z.string() });

/** Finds the program and asks its version; throws Unavailable telling what was looked for. */
export async function findTerraform(options: FindTerraformOptions): Promise<TerraformBinary> {
  const names = options.command === undefined ? ['terraform', 'tofu'] : [options.command];
  for (const name of names) {
    const path = await findExecutable(name, options.path);
    if (path !== undefined) return { path, version: await versionOf(path, options.path) };
  }
  throw unavailable(
    options.command === undefined
      ? `Neither of these programs was found: ${names.join(', ')}`
      : `There is no program ${options.command} that can be run`,
  );
}

async function versionOf(path: string, searchPath: string): Promise<string> {
  const lines: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const { exitCode, signal } = await runProcess({
    command: path,
    args: ['version', '-json'],
    cwd: '/',
    env: { PATH: searchPath, CHECKPOINT_DISABLE: '1' },
    onLine: (stream, line) => lines[stream].push(line),
    timeoutMs: 30_000,
    graceMs: 1_000,
  }).catch((error: unknown) => {
    if (hasCode(error, 'NotFound')) throw error;
    throw unavailable(`${path} cannot be run: ${(error as Error).message}`, error);
  });
  try {
    return versionOutput.parse(JSON.parse(lines.stdout.join('\n'))).terraform_version;
  } catch (error) {
    const ended = exitCode === undefined ? `by ${signal ?? 'a signal'}` : `with ${exitCode}`;
    const said = lines.stderr.filter((line) => line.trim() !== '').at(-1) ?? 'nothing on stderr';
    throw unavailable(`${path} does not tell its version: it ended ${ended}, and said: ${said}`, error);
  }
}
