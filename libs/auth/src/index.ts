export { BoundedCache } from './bounded-cache.js';
export { CALL_MATRIX, SCOPES, SERVICES, type Scope, type ServiceName } from './call-matrix.js';
export { ServiceRegistry, type ServiceRegistration } from './service-registry.js';
export { parseSigningKey, type PublicJwk, type SigningKey } from './keys/key-pair.js';
export { type SealingKey } from './keys/sealing-key.js';
export { type KeyDirectories } from './keys/key-files.js';
export { isSignedBy, readPublicKeys } from './keys/public-keys.js';
export { isReadableByOthers } from './keys/file-mode.js';
export { FileKeyStore } from './keys/file-key-store.js';
export { ensureKeyPair, rotateKey } from './keys/rotate-key.js';
export { bringPastKeys, forgetBroughtKeys, pastKeyFiles, type TrustDirectories } from './keys/past-keys.js';
export { rotateSealingKey } from './keys/rotate-sealing-key.js';
export { TOKEN_HEADER, type ServiceTokenClaims } from './service-token/service-token.js';
export { ServiceTokenIssuer } from './service-token/service-token-issuer.js';
export {
  SERVICE_TOKEN_REFUSED,
  ServiceTokenVerifier,
  type VerifiedCall,
} from './service-token/service-token-verifier.js';
export { UserAuthenticator } from './people/user-authenticator.js';
export { LOCAL_ISSUER, LocalIssuer, type Person } from './people/local-issuer.js';
export { LocalTokenVerifier } from './people/local-token-verifier.js';
export { PeopleAuthenticator } from './people/people-authenticator.js';
export { AUTHENTICATED_GROUP, RESERVED_PREFIX, TokenIssuer, type VerifiedToken } from './people/token-issuer.js';
export { fetchTrusting } from './people/oidc/fetch-trusting.js';
export { issuersSchema, type OidcIssuerOptions } from './people/oidc/issuer-options.js';
export { OidcIssuer } from './people/oidc/oidc-issuer.js';
export { PLATFORM_ADMIN_GROUP } from './people/platform-admin.js';
export {
  DEFAULT_MAX_PAYLOAD_BYTES,
  natsServerConfig,
  natsUser,
  REPLY_WITHIN_MS,
  type NatsServerTls,
} from './nats/nats-server-config.js';
export { inboxPrefix, subjects } from './nats/subjects.js';
export {
  createAuthority,
  createSigningKey,
  issueCertificate,
  namesOf,
  type CertificateSubject,
} from './pki/certificate-authority.js';
export type { CertificatePair } from './pki/certificate.js';
export { issueClientCertificate, type ClientSubject } from './pki/client-certificate.js';
