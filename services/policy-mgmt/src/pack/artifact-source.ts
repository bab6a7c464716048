import type { KeyObject } from 'node:crypto';
import { invalidSpec, unavailable } from '@crate/errors';
import { parsePack, type PackedPolicy } from '@crate/policy-engine';
import { parseArtifactReference, type ArtifactReference } from './oci/artifact-reference.js';
import { assertSigned } from './oci/cosign-signature.js';
import { RegistryClient } from './oci/registry-client.js';
import { registryCredentials } from './oci/registry-credentials.js';
import { PackSource } from './pack-source.js';

/** Media type of a file of rules in an artifact. */
export const PACK_MEDIA_TYPE = 'application/vnd.crate.policy-pack.v1+yaml';

const MOST_FILES = 50;

export interface ArtifactTrust {
  /** One of these must have signed it. */
  readonly keys: readonly KeyObject[];
  /** Such as `~/.docker/config.json`; absent: asked without credentials. */
  readonly credentialsFile?: string;
}

/** The packs in an OCI artifact, which somebody trusted has signed. */
export class ArtifactSource extends PackSource {
  private readonly reference: ArtifactReference;

  /** Throws InvalidSpec when the name is no reference, or nobody is trusted. */
  constructor(
    readonly name: string,
    private readonly trust: ArtifactTrust,
  ) {
    super();
    this.reference = parseArtifactReference(name);
    if (trust.keys.length === 0) throw invalidSpec(`${name} needs a public key that it has to be signed with`, []);
  }

  override async read(): Promise<readonly PackedPolicy[]> {
    const { credentialsFile, keys } = this.trust;
    const credentials = credentialsFile && (await registryCredentials(credentialsFile, this.reference.registry));
    const client = new RegistryClient(this.reference, credentials || undefined);
    const manifest = await client.manifest(this.reference.version);
    if (!manifest) throw unavailable(`${this.name} is not there`);
    await assertSigned(client, manifest.digest, keys);
    const files = manifest.layers.filter(({ mediaType }) => mediaType === PACK_MEDIA_TYPE);
    if (files.length === 0 || files.length > MOST_FILES) {
      throw invalidSpec(
        `${this.name} has ${files.length} files of ${PACK_MEDIA_TYPE}; 1 to ${MOST_FILES} are expected`,
        [],
      );
    }
    const packs = await Promise.all(
      files.map(async (file) => {
        const title = file.annotations?.['org.opencontainers.image.title'] ?? file.digest;
        return parsePack(`${this.name} ${title}`, (await client.blob(file)).toString('utf8'));
      }),
    );
    return packs.flatMap(({ policies }) => policies);
  }
}
