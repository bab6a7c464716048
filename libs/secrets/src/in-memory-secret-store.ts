import { conflict } from '@crate/errors';
import { SecretStore, type SecretVersion } from './secret-store.js';
import { DEFAULT_KEPT_VERSIONS } from './retention.js';

interface Version extends SecretVersion {
  readonly plain: Uint8Array;
}

interface Series {
  epoch: bigint | undefined;
  versions: Version[];
}

/** The same contract without a database or encryption, for unit tests. */
export class InMemorySecretStore extends SecretStore {
  private readonly owners = new Map<string, Map<string, Series>>();

  constructor(private readonly keptVersions = DEFAULT_KEPT_VERSIONS) {
    super();
  }

  async put(ownerUid: string, kind: string, plain: Uint8Array, epoch?: bigint): Promise<number> {
    const series = this.ensureSeries(ownerUid, kind);
    if (epoch !== undefined && series.epoch !== undefined && epoch < series.epoch) {
      throw conflict('A newer holder has written this secret', { kind });
    }
    series.epoch = epoch ?? series.epoch;
    const newest = series.versions.at(-1);
    if (newest && Buffer.compare(newest.plain, plain) === 0) return Promise.resolve(newest.serial);
    const serial = (newest?.serial ?? 0) + 1;
    series.versions.push({ serial, createdAt: new Date(), size: plain.byteLength, plain: Uint8Array.from(plain) });
    series.versions = series.versions.slice(-this.keptVersions);
    return Promise.resolve(serial);
  }

  async find(ownerUid: string, kind: string): Promise<{ serial: number; plain: Uint8Array } | undefined> {
    const newest = this.owners.get(ownerUid)?.get(kind)?.versions.at(-1);
    return Promise.resolve(newest && { serial: newest.serial, plain: Uint8Array.from(newest.plain) });
  }

  async versions(ownerUid: string, kind: string): Promise<readonly SecretVersion[]> {
    const versions = this.owners.get(ownerUid)?.get(kind)?.versions ?? [];
    return Promise.resolve(versions.map(({ serial, createdAt, size }) => ({ serial, createdAt, size })));
  }

  async removeOwner(ownerUid: string): Promise<void> {
    this.owners.delete(ownerUid);
    return Promise.resolve();
  }

  async countOwners(): Promise<number> {
    return Promise.resolve(this.owners.size);
  }

  private ensureSeries(ownerUid: string, kind: string): Series {
    const kinds = this.owners.get(ownerUid) ?? new Map<string, Series>();
    const series = kinds.get(kind) ?? { epoch: undefined, versions: [] };
    this.owners.set(ownerUid, kinds.set(kind, series));
    return series;
  }
}
