export { eventually, type EventuallyOptions } from './eventually.js';
export { freePort } from '@crate/local-servers';
export { startNats, type NatsOptions, type NatsServer } from './nats.js';
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres.js';
export { CratePlatform, type CratePlatformOptions, type CrateProcess } from './crate-platform.js';
export { NatsSpy, withSpy } from './secret-scan/nats-spy.js';
export { OIDC_CLIENT, OidcTestProvider, type SigningJwk } from './oidc/oidc-provider.js';
export { SignInAgent } from './oidc/sign-in-agent.js';
export { TestAuthority, type CertificateFiles } from './oidc/test-authority.js';
