import type { ApiKey } from '@crate/api';
import { AUTHENTICATED_GROUP } from '@crate/auth';
import type { Caller } from '@crate/resource-client';
import { tokenPrefix } from './api-key.token.js';

const EXTRA = 'authentication.crate.dev';
/** Facts about a caller that signed in with an API key, in `Caller.extra`. */
export const KEY_EXTRA = {
  project: `${EXTRA}/project`,
  role: `${EXTRA}/role`,
  tokenPrefix: `${EXTRA}/token-prefix`,
  resources: `${EXTRA}/resources`,
  verbs: `${EXTRA}/verbs`,
} as const;

const USER_PREFIX = 'system:apikey:';

/** Whoever shows this token of the key. */
export function callerOfKey({ metadata, spec }: ApiKey, tokenId: string): Caller {
  const { name, namespace = '' } = metadata;
  const { resources, verbs } = spec.scope ?? {};
  return {
    user: `${USER_PREFIX}${namespace}:${name}`,
    groups: [AUTHENTICATED_GROUP, `system:apikeys:${namespace}`],
    extra: {
      [KEY_EXTRA.project]: [namespace],
      [KEY_EXTRA.role]: [spec.role],
      [KEY_EXTRA.tokenPrefix]: [tokenPrefix(tokenId)],
      ...(resources ? { [KEY_EXTRA.resources]: resources } : {}),
      ...(verbs ? { [KEY_EXTRA.verbs]: verbs } : {}),
    },
  };
}

/** True for a machine. */
export function isKeyCaller({ user }: Pick<Caller, 'user'>): boolean {
  return user.startsWith(USER_PREFIX);
}
