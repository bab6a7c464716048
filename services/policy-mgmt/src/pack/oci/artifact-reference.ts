import { invalidSpec } from '@crate/errors';

/** Where an artifact lies. Source: https://github.com/opencontainers/distribution-spec/blob/main/spec.md */
export interface ArtifactReference {
  /** Host, and port if there is one. */
  readonly registry: string;
  readonly repository: string;
  /** A tag, or a digest such as `sha256:…`. */
  readonly version: string;
}

const SHAPE =
  /^(?:oci:\/\/)?([a-z0-9.-]+(?::\d+)?)\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?::([A-Za-z0-9_][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/** Reads `registry.example.com/policies/bank:1.2`, `…@sha256:…` or both; a digest counts more than a tag. Throws InvalidSpec. */
export function parseArtifactReference(text: string): ArtifactReference {
  const [, registry, repository, tag, digest] = SHAPE.exec(text) ?? [];
  const version = digest ?? tag;
  if (!registry || !repository || !version) {
    throw invalidSpec(
      `"${text}" names no artifact: expected registry/repository:tag or registry/repository@sha256:…`,
      [],
    );
  }
  return { registry, repository, version };
}

/** As docker has it, a registry on this machine needs no TLS. */
export function baseUrlOf({ registry }: Pick<ArtifactReference, 'registry'>): string {
  const isLocal = /^(localhost|127\.0\.0\.1)(:|$)/.test(registry);
  return `${isLocal ? 'http' : 'https'}://${registry}`;
}
