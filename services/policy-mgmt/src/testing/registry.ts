import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Stored {
  readonly bytes: Buffer;
  readonly type: string;
}

/** A registry at its protocol boundary: https://github.com/opencontainers/distribution-spec */
export class TestRegistry {
  readonly contents = new Map<string, Stored>();
  /** Set, it asks for a token, and for these to give one. */
  login: { readonly user: string; readonly password: string } | undefined;
  isDown = false;

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.answer(request, response));
  }

  static async start(): Promise<TestRegistry> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TestRegistry(server);
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Stores an artifact of files and gives the digest of its manifest. */
  push(repository: string, tag: string, files: Readonly<Record<string, string>>, mediaType: string): string {
    const layers = Object.entries(files).map(([title, text]) => ({
      ...this.blob(repository, Buffer.from(text), mediaType),
      annotations: { 'org.opencontainers.image.title': title },
    }));
    return this.manifest(repository, tag, layers);
  }

  /** Signs as `cosign sign --key` does: https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md */
  sign(repository: string, digest: string, key: KeyObject, about = digest): void {
    const image = { 'docker-manifest-digest': about };
    const identity = { 'docker-reference': `${this.host}/${repository}` };
    const payload = JSON.stringify({
      critical: { identity, image, type: 'cosign container image signature' },
      optional: null,
    });
    const layer = this.blob(repository, Buffer.from(payload), 'application/vnd.dev.cosign.simplesigning.v1+json');
    const signature = sign('sha256', Buffer.from(payload), key).toString('base64');
    const annotations = { 'dev.cosignproject.cosign/signature': signature };
    this.manifest(repository, `${digest.replace(':', '-')}.sig`, [{ ...layer, annotations }]);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private blob(
    repository: string,
    bytes: Buffer,
    mediaType: string,
  ): { mediaType: string; digest: string; size: number } {
    const digest = digestOf(bytes);
    this.contents.set(`/v2/${repository}/blobs/${digest}`, { bytes, type: 'application/octet-stream' });
    return { mediaType, digest, size: bytes.length };
  }

  private manifest(repository: string, tag: string, layers: readonly object[]): string {
    const type = 'application/vnd.oci.image.manifest.v1+json';
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, layers }));
    const digest = digestOf(bytes);
    for (const version of [tag, digest]) this.contents.set(`/v2/${repository}/manifests/${version}`, { bytes, type });
    return digest;
  }

  private answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    if (this.isDown) return void response.writeHead(500).end();
    if (url.startsWith('/token?')) return this.giveToken(headers.authorization, response);
    if (this.login && headers.authorization !== 'Bearer a-token') {
      const challenge = `Bearer realm="http://${this.host}/token",service="registry"`;
      return void response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    const stored = this.contents.get(url);
    if (!stored) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': stored.type }).end(stored.bytes);
  }

  private giveToken(authorization: string | undefined, response: ServerResponse): void {
    const { user, password } = this.login ?? { user: '', password: '' };
    const isRight = authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    if (!isRight) return void response.writeHead(403).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token: 'a-token' }));
  }
}

/** A pair as `cosign generate-key-pair` makes it. */
export function signingKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
