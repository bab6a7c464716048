import { createPrivateKey, generateKeyPairSync, randomUUID, sign, type JsonWebKey } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from 'oidc-provider';
import { TestAuthority } from './test-authority.js';

/** The public client of the provider: native, with loopback redirects and device codes. */
export const OIDC_CLIENT = 'crate-cli';
/** The public client for pages of a server. */
export const OIDC_WEB_CLIENT = 'crate-console';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A key the provider signs with, private half included. */
export type SigningJwk = JsonWebKey & { readonly kid: string; readonly alg: string; readonly use: 'sig' };

/** A real OpenID Connect provider (npm `oidc-provider`) on loopback with TLS. Anyone may sign in; nobody checks passwords. */
export class OidcTestProvider {
  /** Groups by login; the claim `groups`. */
  readonly groups = new Map<string, readonly string[]>();
  /** Paths asked for, oldest first. */
  readonly requests: string[] = [];
  idTokenSeconds = 600;
  /** How many times tokens were given for a refresh token. */
  refreshes = 0;
  private webRedirects: readonly string[] = [];
  private keys: readonly SigningJwk[] = [];
  private handler: Handler = (_request, response) => response.writeHead(503).end();

  private constructor(
    private readonly directory: string,
    private readonly authority: TestAuthority,
    private server: Server,
    private readonly port: number,
  ) {}

  /** `webRedirects`: where pages of servers are come back to. */
  static async start(webRedirects: readonly string[] = []): Promise<OidcTestProvider> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-oidc-'));
    const authority = await TestAuthority.create(directory, 'identity provider authority');
    const files = await authority.issue('provider');
    const [cert, key] = await Promise.all([readFile(files.certificateFile), readFile(files.keyFile)]);
    const server = createServer({ cert, key });
    const port = await listen(server, 0);
    const provider = new OidcTestProvider(directory, authority, server, port);
    provider.webRedirects = webRedirects;
    server.on('request', (request: IncomingMessage, response) => provider.answer(request, response));
    await provider.rotateKeys();
    return provider;
  }

  get issuer(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** PEM of the authority that the provider's certificate is from. */
  get ca(): string {
    return this.authority.certificate;
  }

  get caFile(): string {
    return this.authority.certificateFile;
  }

  /** The key that signs. */
  get signingKey(): SigningJwk {
    const [key] = this.keys;
    if (!key) throw new Error('The provider has no key');
    return key;
  }

  /** A token with any claims, good or not, as if the provider had issued it; good for ten minutes unless they say so. */
  sign(claims: object): string {
    const { kid, alg } = this.signingKey;
    const iat = Math.floor(Date.now() / 1000);
    const parts = [
      { alg, kid },
      { iss: this.issuer, aud: OIDC_CLIENT, iat, exp: iat + 600, ...claims },
    ];
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const key = createPrivateKey({ key: this.signingKey, format: 'jwk' });
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
  }

  /** Signs with a new key from now on; earlier ones are published still, unless they are to be dropped. */
  async rotateKeys({ dropOld = false } = {}): Promise<void> {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = privateKey.export({ format: 'jwk' });
    this.keys = [{ ...jwk, kid: randomUUID(), alg: 'RS256', use: 'sig' }, ...(dropOld ? [] : this.keys)];
    this.handler = await this.makeHandler();
  }

  /** Stops listening, as a provider that is down; `resume` listens on the same port again. */
  async pause(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async resume(): Promise<void> {
    await listen(this.server, this.port);
  }

  async stop(): Promise<void> {
    await this.pause().catch(() => undefined);
    await rm(this.directory, { recursive: true, force: true });
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(request.url ?? '');
    this.handler(request, response);
  }

  private async makeHandler(): Promise<Handler> {
    // Loaded only here: most tests need no provider.
    const { default: Provider } = await import('oidc-provider');
    const provider = quietly(() => new Provider(this.issuer, this.configuration()));
    provider.on('grant.success', ({ oidc }) => {
      if (oidc.params?.['grant_type'] === 'refresh_token') this.refreshes += 1;
    });
    return quietly(() => provider.callback() as Handler);
  }

  private webClient(): NonNullable<Configuration['clients']>[number] {
    return {
      client_id: OIDC_WEB_CLIENT,
      token_endpoint_auth_method: 'none',
      application_type: 'web',
      redirect_uris: [...this.webRedirects],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
  }

  private configuration(): Configuration {
    return {
      clients: [
        {
          client_id: OIDC_CLIENT,
          token_endpoint_auth_method: 'none',
          application_type: 'native',
          redirect_uris: ['http://127.0.0.1/callback'],
          grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
          response_types: ['code'],
        },
        ...(this.webRedirects.length > 0 ? [this.webClient()] : []),
      ],
      jwks: { keys: [...this.keys] as never },
      features: {
        devInteractions: { enabled: true },
        deviceFlow: {
          enabled: true,
          userCodeInputSource: (context, form) => void (context.body = form),
          userCodeConfirmSource: (context, form) => void (context.body = form),
          successSource: (context) => void (context.body = 'You are signed in'),
        },
        revocation: { enabled: true, allowedPolicy: () => true },
      },
      claims: { openid: ['sub'], profile: ['groups', 'email', 'email_verified'] },
      // Without it, claims of scopes are told by the userinfo endpoint only.
      conformIdTokenClaims: false,
      scopes: ['openid', 'profile', 'offline_access'],
      cookies: { keys: ['a-cookie-key'] },
      ttl: {
        IdToken: () => this.idTokenSeconds,
        ...{ AccessToken: 600, RefreshToken: 3600, DeviceCode: 600 },
        ...{ Grant: 3600, Session: 3600, Interaction: 600 },
      },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({
          sub: id,
          groups: [...(this.groups.get(id) ?? [])],
          email: `${id}@example.com`,
          email_verified: true,
        }),
      }),
    };
  }
}

/** The provider warns, on the console, of what would be wrong in production. */
function quietly<T>(make: () => T): T {
  const { warn, info } = console;
  Object.assign(console, { warn: () => undefined, info: () => undefined });
  try {
    return make();
  } finally {
    Object.assign(console, { warn, info });
  }
}

async function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
