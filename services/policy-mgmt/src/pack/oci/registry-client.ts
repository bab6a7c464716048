import { createHash } from 'node:crypto';
import { invalidSpec, unavailable } from '@crate/errors';
import { baseUrlOf, type ArtifactReference } from './artifact-reference.js';
import type { RegistryCredentials } from './registry-credentials.js';

const TIMEOUT_MS = 30_000;
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** Far above any pack, far below what would hurt. */
const MOST_BYTES = 4 * 1024 * 1024;

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Manifest {
  /** Of the manifest itself, as it was worked out here. */
  readonly digest: string;
  readonly artifactType?: string;
  readonly layers: readonly Descriptor[];
}

/** Reads artifacts of a registry. Every byte is held against its digest. Source: https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pull */
export class RegistryClient {
  private authorization: string | undefined;

  constructor(
    private readonly repository: Omit<ArtifactReference, 'version'>,
    private readonly credentials: RegistryCredentials | undefined,
  ) {}

  /** Undefined when there is none. Throws Unavailable when the registry does not answer, InvalidSpec when what it answers is not what was asked for. */
  async manifest(version: string): Promise<Manifest | undefined> {
    const bytes = await this.get(`manifests/${version}`, MANIFEST_TYPE);
    if (!bytes) return undefined;
    const digest = digestOf(bytes);
    if (version.startsWith('sha256:') && digest !== version) throw this.altered(version);
    const { artifactType, layers } = JSON.parse(bytes.toString('utf8')) as Partial<Manifest>;
    if (!Array.isArray(layers))
      throw invalidSpec(`${this.name}:${version} is no artifact: its manifest has no layers`, []);
    return { digest, layers: layers as Descriptor[], ...(artifactType ? { artifactType } : {}) };
  }

  /** Throws as `manifest` does, and Unavailable when there is none. */
  async blob({ digest, size }: Descriptor): Promise<Buffer> {
    if (size > MOST_BYTES)
      throw invalidSpec(`${this.name}: a file of ${size} bytes is too large, ${MOST_BYTES} are allowed`, []);
    const bytes = await this.get(`blobs/${digest}`, '*/*');
    if (!bytes) throw unavailable(`${this.name} has no ${digest}`);
    if (digestOf(bytes) !== digest) throw this.altered(digest);
    return bytes;
  }

  private get name(): string {
    return `${this.repository.registry}/${this.repository.repository}`;
  }

  private altered(digest: string): Error {
    return invalidSpec(`${this.name}: what the registry gives is not ${digest}`, []);
  }

  private async get(path: string, accept: string): Promise<Buffer | undefined> {
    const url = `${baseUrlOf(this.repository)}/v2/${this.repository.repository}/${path}`;
    let response = await this.fetch(url, accept);
    if (response.status === 401) {
      this.authorization = await this.authorize(response.headers.get('www-authenticate') ?? '');
      response = await this.fetch(url, accept);
    }
    if (response.status === 404) return undefined;
    if (!response.ok) throw unavailable(`${this.name} answers ${response.status} for ${path}`);
    return readBounded(response, this.name);
  }

  private async fetch(url: string, accept: string): Promise<Response> {
    const headers = { accept, ...(this.authorization ? { authorization: this.authorization } : {}) };
    try {
      return await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (error) {
      throw unavailable(`${this.name} does not answer`, error);
    }
  }

  /** Source: https://distribution.github.io/distribution/spec/auth/token/ */
  private async authorize(challenge: string): Promise<string> {
    const basic =
      this.credentials &&
      `Basic ${Buffer.from(`${this.credentials.user}:${this.credentials.password}`).toString('base64')}`;
    if (/^basic/i.test(challenge) && basic) return basic;
    const realm = /realm="([^"]+)"/.exec(challenge)?.[1];
    if (!/^bearer/i.test(challenge) || !realm)
      throw unavailable(`${this.name} asks for credentials: name a file that has them`);
    const url = this.tokenUrl(realm, /service="([^"]*)"/.exec(challenge)?.[1]);
    const response = await fetch(url, {
      headers: basic ? { authorization: basic } : {},
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw unavailable(`${this.name} gives no token: ${url.host} answers ${response.status}`);
    const { token, access_token: accessToken } = (await response.json()) as Readonly<
      Record<string, string | undefined>
    >;
    return `Bearer ${token ?? accessToken ?? ''}`;
  }

  /** A password goes nowhere in the clear, whatever a registry says. */
  private tokenUrl(realm: string, service: string | undefined): URL {
    const url = new URL(realm);
    const isSafe = url.protocol === 'https:' || baseUrlOf({ registry: url.host }).startsWith('http:');
    if (!isSafe) throw unavailable(`${this.name} sends to ${url.host} for a token without TLS`);
    if (service) url.searchParams.set('service', service);
    url.searchParams.set('scope', `repository:${this.repository.repository}:pull`);
    return url;
  }
}

async function readBounded(response: Response, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MOST_BYTES) throw invalidSpec(`${name} sends more than ${MOST_BYTES} bytes`, []);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
