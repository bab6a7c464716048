import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TerraformBinary } from './terraform-binary.js';

const MARKER = '.crate-initialised';
/** Moves when what stands installed is not to be gone on with. 2: a state had a say in it before. */
const GENERATION = 2;

/** Remembers in the workspace what it was initialised for, so that `init` runs only when it has something to do. */
export class InitMarker {
  private readonly file: string;

  constructor(
    private readonly directory: string,
    private readonly binary: TerraformBinary,
  ) {
    this.file = join(directory, MARKER);
  }

  async isCurrent(configuration: unknown): Promise<boolean> {
    if (!existsSync(join(this.directory, '.terraform'))) return false;
    const marked = await readFile(this.file, 'utf8').catch(() => undefined);
    return marked === this.fingerprint(configuration);
  }

  async set(configuration: unknown): Promise<void> {
    await writeFile(this.file, this.fingerprint(configuration));
  }

  async clear(): Promise<void> {
    await rm(this.file, { force: true });
  }

  /** Providers, modules and backend are all that `init` looks at. */
  private fingerprint(configuration: unknown): string {
    const { terraform, module } = configuration as { terraform?: unknown; module?: unknown };
    const { path, version } = this.binary;
    return createHash('sha256')
      .update(JSON.stringify([GENERATION, path, version, terraform, module]))
      .digest('hex');
  }
}

/**
 * True when nothing is to be installed: every provider is attached (`TF_REATTACH_PROVIDERS`) or built in,
 * and there are neither modules nor a backend.
 */
export function needsNoInit(configuration: unknown, reattachedProviders: string | undefined): boolean {
  const { terraform, module } = configuration as {
    terraform?: { required_providers?: Record<string, { source?: string }>; backend?: unknown; cloud?: unknown };
    module?: unknown;
  };
  if (module !== undefined || terraform?.backend !== undefined || terraform?.cloud !== undefined) return false;
  const attached = Object.keys(JSON.parse(reattachedProviders ?? '{}') as object).map(qualify);
  const required = Object.values(terraform?.required_providers ?? {}).map(({ source }) => source ?? '');
  return required.every((source) => source.startsWith('terraform.io/builtin/') || attached.includes(qualify(source)));
}

/** `hashicorp/aws` means `registry.terraform.io/hashicorp/aws`. */
function qualify(source: string): string {
  return source.split('/').length === 2 ? `registry.terraform.io/${source}` : source;
}
