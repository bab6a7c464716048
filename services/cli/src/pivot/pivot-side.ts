import { badRequest, timeout, unavailable } from '@crate/errors';
import { Installation, stateOf, type MoveState } from '@crate/pivot';
import { join } from 'node:path';
import { keysDirectory } from '../secrets/encryption-keys.js';
import { DataDir } from '../up/data-dir.js';
import { findRunning, isRunning } from '../up/run-file.js';
import { findText } from '../up/secret-file.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import { waitUntil } from '../up/wait.js';

const STOP_TIMEOUT_MS = 60_000;

/** One installation of a move, as the command line names it: the data directory of `crate up`, or the URL of a database. */
export class PivotSide {
  private constructor(
    readonly name: string,
    private readonly place: { readonly url: string } | { readonly dir: DataDir },
    private readonly keysRoot: string | undefined,
  ) {}

  /** `keysRoot` has a directory of key-encryption keys for each service; a data directory has them itself. */
  static of(name: string, text: string, keysRoot?: string): PivotSide {
    if (/^postgres(ql)?:\/\//.test(text)) return new PivotSide(name, { url: text }, keysRoot);
    if (text.includes('://')) throw badRequest(`${text} is neither a data directory nor a postgresql:// URL`);
    return new PivotSide(name, { dir: new DataDir(text) }, keysRoot);
  }

  /** Throws Unavailable when its database does not answer. */
  async open(): Promise<Installation> {
    return Installation.open({ url: await this.databaseUrl(), name: this.name });
  }

  /** What a move lets it do; undefined while its database does not answer, or has nothing in it. */
  async findState(): Promise<MoveState | undefined> {
    try {
      const installation = await this.open();
      try {
        return stateOf(await installation.record());
      } finally {
        await installation.close();
      }
    } catch {
      return undefined;
    }
  }

  /** A move keeps it from coming up, and needs its database meanwhile: it may not change what it is, or is given what it will be. */
  async isHeld(): Promise<boolean> {
    const state = await this.findState();
    return state === 'frozen' || state === 'receiving';
  }

  /** Directories of keys by the schema of their service. */
  keyDirectories(option: string): Readonly<Record<string, string>> {
    return Object.fromEntries(
      SERVICE_ORDER.map((service) => [service.replaceAll('-', '_'), this.keysOf(service, option)]),
    );
  }

  /** Directory of the public keys of its services; undefined when it is not known. */
  trustDirectory(): string | undefined {
    if (this.keysRoot !== undefined) return join(this.keysRoot, 'trust');
    return 'dir' in this.place ? this.place.dir.trust() : undefined;
  }

  /** Where its API is, as far as a data directory tells. */
  async address(): Promise<string | undefined> {
    const running = 'dir' in this.place ? await findRunning(this.place.dir) : undefined;
    return running === undefined || running.apiUrl === '' ? undefined : running.apiUrl;
  }

  /** Ends what runs on a data directory; the data is kept. Idempotent. Processes elsewhere are ended by whoever runs them. */
  async end(): Promise<void> {
    const running = 'dir' in this.place ? await findRunning(this.place.dir) : undefined;
    if (!running) return;
    process.kill(running.pid, 'SIGTERM');
    if (await waitUntil(() => Promise.resolve(!isRunning(running)), STOP_TIMEOUT_MS)) return;
    throw timeout(`Process ${running.pid} of ${this.name} did not stop within ${STOP_TIMEOUT_MS / 1000} s`);
  }

  private keysOf(service: string, option: string): string {
    if (this.keysRoot !== undefined) return join(this.keysRoot, service);
    if ('dir' in this.place) return keysDirectory(this.place.dir, service);
    throw badRequest(`Say with ${option} where the encryption keys of ${this.name} are`);
  }

  private async databaseUrl(): Promise<string> {
    if ('url' in this.place) return this.place.url;
    const { dir } = this.place;
    const url = await findText(join(dir.service('postgres'), 'database-url'));
    if (url !== undefined) return url;
    throw unavailable(`There is no database in ${dir.root}; start it with "crate up --data-dir ${dir.root}"`);
  }
}
