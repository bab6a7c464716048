import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issuersSchema, OidcIssuer, PeopleAuthenticator } from '@crate/auth';
import { createResourceHttpServer, KindRegistry, LocalResourceApi, LocalResourceRouter } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { OIDC_CLIENT, TestAuthority, type OidcTestProvider } from '@crate/testing';

/** An API with TLS that lets in whoever signed in at a provider, and says where that is. */
export class SignedInApi {
  private constructor(
    readonly url: string,
    readonly caFile: string,
    /** Ends everything, and takes the files away. */
    readonly stop: () => Promise<void>,
  ) {}

  static async start(provider: OidcTestProvider): Promise<SignedInApi> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-api-'));
    const authority = await TestAuthority.create(directory);
    const files = await authority.issue('api');
    const [cert, key] = await Promise.all([readFile(files.certificateFile), readFile(files.keyFile)]);
    const logger = new InMemoryLogger();
    const issuer = issuerOf(provider, logger);
    issuer.start();
    const people = new PeopleAuthenticator({ issuers: [issuer] });
    const kinds = new KindRegistry();
    const server = await createResourceHttpServer({
      router: new LocalResourceRouter(kinds, new LocalResourceApi({ store: new InMemoryResourceStore(), kinds })),
      authenticate: ({ headers }) => people.authenticate(/^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1]),
      authorize: () => Promise.resolve(),
      version: { major: '1', minor: '31', gitVersion: 'v1.31.4' },
      logger,
      tls: { cert, key },
      extraRoutes: [
        {
          isPublic: true,
          matches: (_method, path) => path === '/.well-known/crate-login',
          handle: ({ respond }) => Promise.resolve(respond.object(200, { issuers: [offerOf(provider)] })),
        },
      ],
    });
    const url = await server.listen(0, '127.0.0.1');
    return new SignedInApi(url, authority.certificateFile, async () => {
      issuer.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    });
  }
}

function offerOf({ issuer, ca }: OidcTestProvider): object {
  const scopes = ['openid', 'profile', 'offline_access'];
  return { name: 'corporate', issuer, clientId: OIDC_CLIENT, scopes, certificateAuthority: ca };
}

function issuerOf({ issuer, caFile }: OidcTestProvider, logger: InMemoryLogger): OidcIssuer {
  const { issuers } = issuersSchema.parse({
    issuers: [{ name: 'corporate', issuer, caFile, audiences: [OIDC_CLIENT] }],
  });
  const [options] = issuers;
  if (!options) throw new Error('No issuer');
  return new OidcIssuer(options, issuers, { logger });
}
