import type { Policy } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { Foundation } from '@crate/service-host';
import { ArtifactSource } from './artifact-source.js';
import { readPublicKeys } from './oci/cosign-signature.js';
import type { PacksConfig } from './pack.config.js';
import { PackLibrary } from './pack-library.js';
import { FolderSource } from './pack-source.js';

/** The library of all configured sources. Throws InvalidSpec for a source that can never be read: a malformed reference, a key that is none. */
export async function packLibrary(
  { logger, metrics }: Foundation,
  policies: TypedClient<Policy>,
  { dir, folders, artifacts, publicKeyFiles, credentialsFile, refreshMs }: PacksConfig,
): Promise<PackLibrary> {
  const keys = await readPublicKeys(publicKeyFiles);
  const trust = { keys, ...(credentialsFile ? { credentialsFile } : {}) };
  const further = [
    ...folders.map((folder) => new FolderSource(folder)),
    ...artifacts.map((artifact) => new ArtifactSource(artifact, trust)),
  ];
  return new PackLibrary({ policies, shipped: new FolderSource(dir), further, logger, metrics, refreshMs });
}
