import type { Policy } from '@crate/api';
import { readPublicKeys } from '@crate/auth';
import type { TypedClient } from '@crate/resource-client';
import { PostgresPublicationTurns, type Foundation } from '@crate/service-host';
import { ArtifactSource } from './artifact-source.js';
import type { PacksConfig } from './pack.config.js';
import { PackLibrary, type PackLibraryOptions } from './pack-library.js';
import { FolderSource } from './pack-source.js';

/** The library of all configured sources. Throws InvalidSpec for a source that can never be read: a malformed reference, a key that is none. */
export async function packLibrary(
  { database, logger, metrics }: Pick<Foundation, 'database' | 'logger' | 'metrics'>,
  policies: TypedClient<Policy>,
  { dir, folders, artifacts, publicKeyFiles, credentialsFile, refreshMs }: PacksConfig,
  onChange: NonNullable<PackLibraryOptions['onChange']>,
): Promise<PackLibrary> {
  const keys = await readPublicKeys(publicKeyFiles);
  const trust = { keys, ...(credentialsFile ? { credentialsFile } : {}) };
  const further = [
    ...folders.map((folder) => new FolderSource(folder)),
    ...artifacts.map((artifact) => new ArtifactSource(artifact, trust)),
  ];
  const of = { table: 'policy_publications', subject: 'packs', turn: 'policy packs' };
  const turns = new PostgresPublicationTurns(database, of);
  const shipped = new FolderSource(dir);
  return new PackLibrary({ policies, turns, shipped, further, logger, metrics, refreshMs, onChange });
}
