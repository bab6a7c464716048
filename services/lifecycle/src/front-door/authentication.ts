import { FileKeyStore, LOCAL_ISSUER, UserTokenVerifier } from '@crate/auth';
import type { Authenticate } from '@crate/resource-server';
import type { LifecycleConfig } from '../config.js';

const BEARER = /^Bearer (\S+)$/i;

/** Finds out who sends a request from its bearer token. */
export function authentication(keys: LifecycleConfig['keys']): Authenticate {
  const people = new UserTokenVerifier(new FileKeyStore(keys, LOCAL_ISSUER));
  return (request) => people.authenticate(BEARER.exec(request.headers.authorization ?? '')?.[1]);
}
