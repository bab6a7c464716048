import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CratePlatform } from '../crate-platform.js';
import { eventually } from '../eventually.js';
import { flushedDataDirectory, plantInDatabase, scanDatabase } from './database-dump.js';
import { NatsSpy, withSpy } from './nats-spy.js';
import { SecretScan, type Canary } from './secret-scan.js';

/**
 * Listens to all NATS traffic of a platform from now on, and looks for secrets wherever they may not be: in that traffic, in
 * the logs of all processes, and in every row of the database (objects, events, audit, plans, run logs).
 */
export class PlatformScan {
  private constructor(
    private readonly platform: CratePlatform,
    private readonly spy: NatsSpy,
  ) {}

  /** Adds a user who hears everything to the running nats-server. Call again after the platform was started again. */
  static async listen(platform: CratePlatform): Promise<PlatformScan> {
    const file = join(platform.directory, 'nats', 'nats.conf');
    await writeFile(file, withSpy(await readFile(file, 'utf8')));
    const { nats } = await platform.processes();
    if (!nats) throw new Error('The platform runs no nats-server');
    process.kill(nats.pid, 'SIGHUP');
    const settings = JSON.parse(await readFile(join(platform.directory, 'settings.json'), 'utf8')) as {
      natsPort: number;
    };
    return new PlatformScan(platform, await eventually(() => NatsSpy.listen(settings.natsPort)));
  }

  /** What crossed NATS since `listen`. */
  get traffic(): Buffer {
    return this.spy.heard;
  }

  async scanFor(canaries: readonly Canary[]): Promise<SecretScan> {
    const scan = new SecretScan(canaries);
    scan.scan('NATS', this.spy.heard);
    await scan.scanDirectory(join(this.platform.directory, 'logs'));
    await scanDatabase(scan, await this.platform.databaseUrl());
    return scan;
  }

  /** The files of the database with its write-ahead log, as a backup copies them: also what was deleted since. */
  async scanFilesFor(canaries: readonly Canary[]): Promise<SecretScan> {
    const scan = new SecretScan(canaries);
    await scan.scanDirectory(await flushedDataDirectory(await this.platform.databaseUrl()));
    return scan;
  }

  /** Puts a text into the traffic, the logs and a table, to see whether it would be found there. */
  async plant(text: string): Promise<void> {
    await this.spy.say('crate.planted', text);
    await appendFile(join(this.platform.directory, 'logs', 'planted.log'), `${JSON.stringify({ text })}\n`);
    await plantInDatabase(await this.platform.databaseUrl(), text);
  }

  stop(): void {
    this.spy.stop();
  }
}
