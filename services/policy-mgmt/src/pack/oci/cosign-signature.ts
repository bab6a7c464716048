import type { KeyObject } from 'node:crypto';
import { isSignedBy } from '@crate/auth';
import { invalidSpec } from '@crate/errors';
import type { Descriptor, RegistryClient } from './registry-client.js';

const PAYLOAD_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';
const SIGNATURE = 'dev.cosignproject.cosign/signature';
const MEANING = 'cosign container image signature';

/**
 * Makes sure that one of the keys has signed the manifest of a digest, as `cosign sign --key` does. Throws InvalidSpec otherwise.
 * Source: https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md
 */
export async function assertSigned(client: RegistryClient, digest: string, keys: readonly KeyObject[]): Promise<void> {
  const tag = `${digest.replace(':', '-')}.sig`;
  const manifest = await client.manifest(tag);
  const layers = (manifest?.layers ?? []).filter(({ mediaType }) => mediaType === PAYLOAD_TYPE);
  for (const layer of layers) {
    if (await isSignature(client, layer, { digest, keys })) return;
  }
  const why =
    layers.length === 0 ? `it has no signature under the tag ${tag}` : 'none of its signatures is of a trusted key';
  throw invalidSpec(`${digest} is not trusted: ${why}`, []);
}

async function isSignature(
  client: RegistryClient,
  layer: Descriptor,
  { digest, keys }: { readonly digest: string; readonly keys: readonly KeyObject[] },
): Promise<boolean> {
  const signature = Buffer.from(layer.annotations?.[SIGNATURE] ?? '', 'base64');
  const payload = await client.blob(layer);
  // Ed25519 hashes by itself.
  return isSignedBy(keys, payload, signature) && isAbout(payload, digest);
}

/** A signature of something else, from the same key, proves nothing. */
function isAbout(payload: Buffer, digest: string): boolean {
  const { critical } = JSON.parse(payload.toString('utf8')) as {
    readonly critical?: { readonly type?: string; readonly image?: Readonly<Record<string, string>> };
  };
  return critical?.type === MEANING && critical.image?.['docker-manifest-digest'] === digest;
}
