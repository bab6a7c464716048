import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cannotWrite } from '../output/out-file.js';

/** Where `crate up` keeps everything; nothing of it lies outside this directory. */
export class DataDir {
  readonly root: string;

  constructor(path: string) {
    this.root = resolve(path);
  }

  /** Who runs on this directory right now. */
  readonly runFile = (): string => join(this.root, 'up.json');
  /** Whom a Prometheus beside it scrapes. */
  readonly scrapeTargetsFile = (): string => join(this.root, 'prometheus-targets.json');
  /** Choices that must not change between two starts, such as ports. */
  readonly settingsFile = (): string => join(this.root, 'settings.json');
  readonly adminKubeconfig = (): string => join(this.root, 'admin.kubeconfig');
  readonly certificates = (): string => join(this.root, 'certificates');
  readonly trust = (): string => join(this.root, 'trust');
  readonly postgres = (): string => join(this.root, 'postgres');
  readonly nats = (): string => join(this.root, 'nats');
  readonly sandbox = (): string => join(this.root, 'sandbox');
  readonly bin = (): string => join(this.root, 'bin');
  readonly logs = (): string => join(this.root, 'logs');
  readonly log = (name: string): string => join(this.logs(), `${name}.log`);
  /** Private to one service: its signing key, encryption keys, passwords and working files. */
  readonly service = (name: string): string => join(this.root, 'services', name);
  /** What lifecycle and this process say to one another about versions of services. */
  readonly components = (): string => join(this.root, 'components');
  /** Further releases that services may be run from, one folder each. */
  readonly versions = (): string => join(this.root, 'versions');
  readonly kubeconfigs = (): string => join(this.root, 'kubeconfigs');

  /** What helps whoever may not read or write here. */
  readonly remedy = 'Do it as whoever started Crate there, or give another --data-dir';

  /** Makes the directories that must be there before anything starts. Idempotent. Throws BadRequest where it may not. */
  async prepare(): Promise<void> {
    await this.makeDirectories().catch(cannotWrite(this.root, { remedy: this.remedy }));
  }

  private async makeDirectories(): Promise<void> {
    // Postgres may run as another user and must be able to walk to its own directory.
    await mkdir(this.root, { recursive: true });
    await chmod(this.root, 0o755);
    const open = [this.trust(), this.logs(), this.bin(), this.postgres(), this.nats(), this.sandbox()];
    for (const path of open) await mkdir(path, { recursive: true });
    for (const path of [this.certificates(), this.kubeconfigs(), this.components(), this.versions()])
      await mkdir(path, { recursive: true, mode: 0o700 });
  }
}
