import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComponentName } from '@crate/api';
import { unavailable } from '@crate/errors';
import { z } from 'zod';
import { Installer, type Installation, type WantedInstallation } from './installer.js';

const text = z.string();

const slot = z
  .object({
    name: text,
    version: text,
    isReady: z.boolean(),
    restarts: z.int(),
    isExtra: z.boolean(),
    lastWords: text.optional(),
  })
  // Here a new version is tried with one process more.
  .transform(({ isExtra, ...rest }) => ({ ...rest, isCanary: isExtra }));

const installation = z.object({ version: text, slots: z.array(slot), present: z.array(text) });

/**
 * Speaks by files with who runs the processes of this machine: `<component>.wanted.json` says what shall be, `<component>.found.json`
 * what is. Both outlive either side.
 */
export class FileInstaller extends Installer {
  constructor(private readonly directory: string) {
    super();
  }

  override async observe(component: ComponentName): Promise<Installation | undefined> {
    const parsed = installation.safeParse(await this.read(`${component}.found.json`));
    if (!parsed.success) return undefined;
    // What was told is newer than what is found: whoever follows it may not have looked yet.
    const told = (await this.read(`${component}.wanted.json`)) as Partial<WantedInstallation> | undefined;
    return { ...parsed.data, isUnderWay: told?.next !== undefined, asked: told?.version };
  }

  override async ensure(component: ComponentName, wanted: WantedInstallation): Promise<void> {
    const name = `${component}.wanted.json`;
    const text = `${JSON.stringify(wanted, undefined, 2)}\n`;
    if (JSON.stringify(await this.read(name)) === JSON.stringify(JSON.parse(text))) return;
    const file = join(this.directory, name);
    // Replicas write one after the other, and whoever reads sees one of them whole.
    const draft = `${file}.${process.pid}`;
    try {
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, file);
    } catch (error) {
      throw unavailable(`${file} cannot be written: ${(error as Error).message}`);
    }
  }

  /** Undefined for what is not there, or is damaged. */
  private async read(name: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(join(this.directory, name), 'utf8')) as unknown;
    } catch {
      return undefined;
    }
  }
}
