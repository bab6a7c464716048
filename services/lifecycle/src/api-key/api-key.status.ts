import {
  conditionFalse,
  conditionTrue,
  mergeConditions,
  toTimestamp,
  type ApiKey,
  type ConditionFact,
} from '@crate/api';
import { heldDeletion } from '../held-deletion.js';
import { CREATED_BY } from './api-key.admission.js';
import type { StoredToken } from './api-key.repository.js';
import { tokenPrefix } from './api-key.token.js';

/** What a pass knows of a key. */
export interface ApiKeyFacts {
  readonly key: ApiKey;
  /** The newest one. */
  readonly token?: StoredToken | undefined;
  /** Over all its tokens. */
  readonly lastUsedAt?: Date | undefined;
}

/** When the newest token ends; undefined while there is none. */
export function endOf({ key, token }: ApiKeyFacts): Date | undefined {
  if (!token) return undefined;
  const { expiresAt } = key.spec;
  const end = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  return new Date(Math.min(end, token.expiresAt.getTime()));
}

/** The status of a key. */
export function apiKeyStatus(facts: ApiKeyFacts, now: Date): ApiKey['status'] {
  const { key, token } = facts;
  const lastUsedAt = lastUseOf(facts);
  const { generation, annotations } = key.metadata;
  const createdBy = annotations?.[CREATED_BY];
  const end = endOf(facts);
  return {
    observedGeneration: generation,
    conditions: mergeConditions(key.status?.conditions, [readiness(facts, now)], { generation, now }),
    ...(createdBy ? { createdBy } : {}),
    ...(token
      ? { tokenPrefix: tokenPrefix(token.id), issuedAt: toTimestamp(token.issuedAt), issuedBy: token.issuedBy }
      : {}),
    ...(end ? { expiresAt: toTimestamp(end) } : {}),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
  };
}

/** Uses of tokens that are forgotten by now count, too. */
function lastUseOf({ key, lastUsedAt }: ApiKeyFacts): string | undefined {
  const before = key.status?.lastUsedAt;
  const now = lastUsedAt && toTimestamp(lastUsedAt);
  return now === undefined || (before !== undefined && before > now) ? before : now;
}

/** Reasons: `Deleting` when it goes, whose tokens are refused; `Disabled` when spec.disabled is set; `NotIssued` before the first token; `Expired` once it ended; `Issued` else. */
function readiness(facts: ApiKeyFacts, now: Date): ConditionFact {
  const end = endOf(facts);
  const held = heldDeletion(facts.key);
  if (held) return held;
  if (facts.key.spec.disabled) return conditionFalse('Ready', 'Disabled', 'Its tokens are refused');
  if (!end) return conditionFalse('Ready', 'NotIssued', 'Have its token issued by a POST to its subresource token');
  if (end <= now) return conditionFalse('Ready', 'Expired', 'The token has expired; have another one issued');
  return conditionTrue('Ready', 'Issued', 'Its token is accepted');
}
