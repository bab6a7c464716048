import { execFile } from 'node:child_process';
import { cp, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BALLAST = '.ballast';
const CHUNK = Buffer.alloc(1024 * 1024);

/** A file system of its own for a directory, small enough to be filled (Linux, as root). */
export class SmallDisk {
  private constructor(private readonly directory: string) {}

  /** Mounts it over the directory, with what is in there; gives the reason where that cannot be done. */
  static async mount(directory: string, megabytes: number): Promise<SmallDisk | string> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const aside = `${directory}.before`;
    await run('cp', ['-a', directory, aside]);
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', directory]);
      await run('cp', ['-a', `${aside}/.`, directory]);
      return new SmallDisk(directory);
    } catch (error) {
      return `no file system can be mounted: ${(error as Error).message.trim()}`;
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }

  /** Takes every byte that is left. */
  async fill(): Promise<void> {
    const file = await open(join(this.directory, BALLAST), 'w');
    try {
      for (;;) await file.write(CHUNK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
  }

  async free(): Promise<void> {
    await rm(join(this.directory, BALLAST), { force: true });
  }

  /** Takes the file system away; what was on it stays on request. */
  async unmount({ keepsData }: { readonly keepsData: boolean }): Promise<void> {
    const aside = `${this.directory}.kept`;
    if (keepsData) await cp(this.directory, aside, { recursive: true });
    await run('umount', ['-l', this.directory]);
    if (keepsData) await cp(aside, this.directory, { recursive: true });
    await rm(aside, { recursive: true, force: true });
  }
}
