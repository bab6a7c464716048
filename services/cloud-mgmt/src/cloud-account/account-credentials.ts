import { createHash } from 'node:crypto';
import type { CloudAccount, ObjectMeta } from '@crate/api';
import type { SecretStore } from '@crate/secrets';
import { z } from 'zod';
import type { AccountCredentials } from '../provider/cloud-provider.js';

const FINGERPRINT_LENGTH = 16;
/** Far longer than a write takes from its admission to its end, and a pass that has read the account before. */
const REPLACED_KEPT_MS = 60 * 60_000;
const stored = z.object({ accessKeyId: z.string(), secretAccessKey: z.string() });

type AccountName = Pick<ObjectMeta, 'name' | 'namespace'>;

/**
 * The credentials of CloudAccounts, encrypted. An account points at its own by their fingerprint, so that a write which
 * is refused after it was admitted leaves the credentials in use as they are.
 *
 * NOTE: the owner is the account's name, because admission stores them before the object has a uid; a finalizer sees to it
 * that they are removed before the name can be taken again, and admission stores none for a name that is taken still.
 */
export class AccountCredentialsStore {
  constructor(private readonly secrets: SecretStore) {}

  /** Gives the fingerprint to find them by, which `inUse` is so far. Those that the account had before are stored anew, so that none but old ones are removed. */
  async put(account: AccountName, credentials: AccountCredentials, inUse?: string): Promise<string> {
    const { accessKeyId, secretAccessKey } = credentials;
    const text = JSON.stringify({ accessKeyId, secretAccessKey });
    const fingerprint = fingerprintOf(credentials);
    const options = { isAnew: fingerprint !== inUse };
    await this.secrets.put(ownerOf(account), kindOf(fingerprint), Buffer.from(text), options);
    return fingerprint;
  }

  /** Undefined when the account has none. */
  async find({ metadata, spec }: CloudAccount): Promise<AccountCredentials | undefined> {
    if (spec.credentialsFingerprint === undefined) return undefined;
    const found = await this.secrets.find(ownerOf(metadata), kindOf(spec.credentialsFingerprint));
    return found && stored.parse(JSON.parse(Buffer.from(found.plain).toString('utf8')));
  }

  /** Those that were replaced, or came with a write that was refused, an hour ago. Idempotent. */
  async removeReplaced({ metadata, spec: { credentialsFingerprint: inUse } }: CloudAccount): Promise<void> {
    await this.secrets.removeOthers(ownerOf(metadata), inUse && kindOf(inUse), REPLACED_KEPT_MS);
  }

  /** Idempotent. */
  async removeAll(account: AccountName): Promise<void> {
    await this.secrets.removeOwner(ownerOf(account));
  }
}

/** Tells two sets of credentials apart without telling them: 64 bits of a digest over the random secret key. */
export function fingerprintOf({ accessKeyId, secretAccessKey }: AccountCredentials): string {
  const digest = createHash('sha256').update(JSON.stringify([accessKeyId, secretAccessKey]));
  return digest.digest('hex').slice(0, FINGERPRINT_LENGTH);
}

function ownerOf({ namespace = '', name }: AccountName): string {
  return `cloudaccount/${namespace}/${name}`;
}

function kindOf(fingerprint: string): string {
  return `cloud-credentials/${fingerprint}`;
}
