import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyDirectories } from '../keys/key-files.js';
import { FileKeyStore } from '../keys/file-key-store.js';
import { ensureKeyPair } from '../keys/rotate-key.js';

/** Key files in a directory of their own, and a clock that tests move. */
export class KeyRing {
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  readonly now = (): number => this.nowMs;

  private constructor(private readonly root: string) {}

  static async make(services: readonly string[]): Promise<KeyRing> {
    const ring = new KeyRing(await mkdtemp(join(tmpdir(), 'crate-keys-')));
    for (const service of services) await ensureKeyPair(ring.directories, service, new Date(ring.nowMs));
    return ring;
  }

  get directories(): KeyDirectories {
    return { privateDir: join(this.root, 'private'), trustDir: join(this.root, 'trust') };
  }

  store(service: string): FileKeyStore {
    return new FileKeyStore(this.directories, service, this.now);
  }

  passSeconds(seconds: number): void {
    this.nowMs += seconds * 1000;
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
