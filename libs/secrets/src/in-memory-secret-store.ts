import { conflict } from '@crate/errors';
import {
  SecretStore,
  type OpenedSecret,
  type PutOptions,
  type SecretFacts,
  type SecretVersion,
} from './secret-store.js';
import { refuseOverlooked } from './put-options.js';
import { DEFAULT_KEPT_VERSIONS } from './retention.js';

interface Version extends SecretVersion {
  readonly plain: Uint8Array;
  readonly facts: SecretFacts;
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

  async put(ownerUid: string, kind: string, plain: Uint8Array, options: PutOptions = {}): Promise<number> {
    const { epoch, heal, isAnew } = options;
    const series = this.ensureSeries(ownerUid, kind);
    if (epoch !== undefined && series.epoch !== undefined && epoch < series.epoch) {
      throw conflict('A newer holder has written this secret', { kind });
    }
    series.epoch = epoch ?? series.epoch;
    const newest = series.versions.at(-1);
    if (newest && !heal && !isAnew && Buffer.compare(newest.plain, plain) === 0) return Promise.resolve(newest.serial);
    refuseOverlooked(kind, newest?.serial, options.after);
    return Promise.resolve(this.append(series, plain, options));
  }

  async find(ownerUid: string, kind: string): Promise<OpenedSecret | undefined> {
    const series = this.owners.get(ownerUid)?.get(kind);
    const found = opened(series?.versions.at(-1));
    return Promise.resolve(found && { ...found, fence: series?.epoch });
  }

  async findVersion(ownerUid: string, kind: string, serial: number): Promise<OpenedSecret | undefined> {
    return Promise.resolve(opened(this.versionsOf(ownerUid, kind).find((version) => version.serial === serial)));
  }

  async versions(ownerUid: string, kind: string): Promise<readonly SecretVersion[]> {
    const versions = this.versionsOf(ownerUid, kind);
    return Promise.resolve(versions.map(({ plain: _, ...version }) => version));
  }

  async removeOthers(ownerUid: string, kept: string | undefined, olderThanMs: number): Promise<void> {
    const kinds = this.owners.get(ownerUid) ?? new Map<string, Series>();
    const isOld = (kind: string): boolean => {
      const newest = kinds.get(kind)?.versions.at(-1);
      return newest !== undefined && Date.now() - newest.createdAt.getTime() >= olderThanMs;
    };
    if (kept !== undefined && !isOld(kept)) return Promise.resolve();
    for (const kind of kinds.keys()) if (kind !== kept && isOld(kind)) kinds.delete(kind);
    return Promise.resolve();
  }

  async removeOwner(ownerUid: string): Promise<void> {
    this.owners.delete(ownerUid);
    return Promise.resolve();
  }

  async countOwners(): Promise<number> {
    return Promise.resolve(this.owners.size);
  }

  private append(series: Series, plain: Uint8Array, { facts, heal }: PutOptions): number {
    const newest = series.versions.at(-1);
    const serial = Math.max(newest?.serial ?? 0, heal?.above ?? 0) + 1;
    series.versions.push({
      serial,
      createdAt: new Date(),
      size: plain.byteLength,
      facts: facts?.(serial, newest?.facts) ?? {},
      plain: Uint8Array.from(plain),
    });
    const lastOfRuns = new Map(series.versions.map((version) => [version.facts['run'] ?? version.serial, version]));
    const kept = new Set([
      ...series.versions.slice(-this.keptVersions),
      ...[...lastOfRuns.values()].sort((a, b) => a.serial - b.serial).slice(-this.keptVersions),
    ]);
    series.versions = series.versions.filter((version) => kept.has(version));
    return serial;
  }

  private versionsOf(ownerUid: string, kind: string): readonly Version[] {
    return this.owners.get(ownerUid)?.get(kind)?.versions ?? [];
  }

  private ensureSeries(ownerUid: string, kind: string): Series {
    const kinds = this.owners.get(ownerUid) ?? new Map<string, Series>();
    const series = kinds.get(kind) ?? { epoch: undefined, versions: [] };
    this.owners.set(ownerUid, kinds.set(kind, series));
    return series;
  }
}

function opened(version: Version | undefined): OpenedSecret | undefined {
  return version && { serial: version.serial, plain: Uint8Array.from(version.plain), facts: version.facts };
}
