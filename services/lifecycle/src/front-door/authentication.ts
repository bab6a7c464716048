import type { IncomingMessage } from 'node:http';
import {
  FileKeyStore,
  LOCAL_ISSUER,
  LocalTokenVerifier,
  OidcIssuer,
  type OidcIssuerOptions,
  PeopleAuthenticator,
  type UserAuthenticator,
} from '@crate/auth';
import { hasCode } from '@crate/errors';
import { requestTarget, type Authenticate, type ExtraRoute } from '@crate/resource-server';
import type { Logger } from '@crate/telemetry';
import { TOKEN_PREFIX } from '../api-key/api-key.token.js';
import type { LifecycleConfig } from '../config.js';
import { loginRoute } from './login-route.js';
import { isTerraformPath } from './terraform/terraform-target.js';
import { readIssuers } from './read-issuers.js';

const BEARER = /^Bearer (\S+)$/i;
const BASIC = /^Basic ([\w+/=]+)$/i;

export interface AuthenticationOptions {
  readonly keys: LifecycleConfig['keys'];
  /** YAML file that lists OpenID Connect issuers; absent: none but the local one. */
  readonly issuersFile?: string | undefined;
  /** Knows the tokens of API keys. */
  readonly machines: UserAuthenticator;
  readonly logger: Logger;
}

/** Finds out who sends a request from its bearer token. */
export class Authentication {
  private constructor(
    /** Tells clients how to sign in. */
    readonly route: ExtraRoute,
    /** The issuers that are trusted beside the local one. */
    readonly trusted: readonly OidcIssuerOptions[],
    private readonly known: {
      readonly people: UserAuthenticator;
      readonly machines: UserAuthenticator;
      readonly issuers: readonly OidcIssuer[];
    },
    private readonly logger: Logger,
  ) {}

  /** Throws InvalidSpec for a bad issuers file. Issuers that are down are asked again later. */
  static async open({ keys, issuersFile, machines, logger }: AuthenticationOptions): Promise<Authentication> {
    const listed = issuersFile === undefined ? [] : await readIssuers(issuersFile);
    const route = await loginRoute(listed);
    const issuers = listed.map((options) => new OidcIssuer(options, listed, { logger }));
    for (const issuer of issuers) issuer.start();
    const local = new LocalTokenVerifier(new FileKeyStore(keys, LOCAL_ISSUER));
    const people = new PeopleAuthenticator({ issuers: [local, ...issuers] });
    return new Authentication(route, listed, { people, machines, issuers }, logger);
  }

  readonly authenticate: Authenticate = async (request) => {
    const { headers, socket } = request;
    const token = BEARER.exec(headers.authorization ?? '')?.[1] ?? basicToken(request);
    try {
      return await this.authenticatorOf(token).authenticate(token);
    } catch (error) {
      // The answer is the same whatever was wrong; who looks after the platform needs to know more.
      if (token !== undefined && hasCode(error, 'Unauthenticated')) {
        const { cause } = error as Error;
        this.logger.info('Refusing a token', { reason: reasonOf(cause), address: socket.remoteAddress });
      }
      throw error;
    }
  };

  private authenticatorOf(token = ''): UserAuthenticator {
    return token.startsWith(TOKEN_PREFIX) ? this.known.machines : this.known.people;
  }

  close(): void {
    for (const issuer of this.known.issuers) issuer.close();
  }
}

/** Terraform knows user names and passwords only: the token is the password. For nobody else, so that no browser keeps one. */
function basicToken(request: IncomingMessage): string | undefined {
  const encoded = BASIC.exec(request.headers.authorization ?? '')?.[1];
  if (encoded === undefined || !isTerraformPath(requestTarget(request).path)) return undefined;
  return /^[^:]*:(\S+)$/.exec(Buffer.from(encoded, 'base64').toString('utf8'))?.[1];
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'Unknown';
}
