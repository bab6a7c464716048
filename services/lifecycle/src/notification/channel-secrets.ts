import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { NotificationChannel, ObjectMeta } from '@crate/api';
import { invariant } from '@crate/errors';
import type { SecretStore } from '@crate/secrets';
import { z } from 'zod';

const FINGERPRINT_BYTES = 8;
/** Far longer than a write takes from its admission to its end. */
const REPLACED_KEPT_MS = 60 * 60_000;

const stored = z.object({
  secret: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  url: z.string().optional(),
});

/** What of a channel is never shown. */
export interface ChannelSecrets {
  /** Signs bodies. */
  readonly secret?: string | undefined;
  /** Values by the name of the header in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of a Slack webhook. */
  readonly url?: string | undefined;
}

type Name = Pick<ObjectMeta, 'name' | 'namespace'>;

/**
 * The secrets of channels, encrypted. A channel points at its own by their fingerprint, so that a write which is refused after it was
 * admitted leaves those in use as they are.
 *
 * NOTE: the owner is the channel's name, because admission stores them before the object has a uid; a finalizer sees to it that they are
 * removed before the name can be taken again, and a hook before it refuses a name that is taken still.
 */
export class ChannelSecretStore {
  constructor(private readonly secrets: SecretStore) {}

  /** Gives the fingerprint to find them by. */
  async put(channel: Name, secrets: ChannelSecrets): Promise<string> {
    const fingerprint = newFingerprint();
    const text = JSON.stringify(plain(secrets));
    await this.secrets.put(ownerOf(channel), kindOf(fingerprint), Buffer.from(text));
    return fingerprint;
  }

  /** Empty for a channel without any. Throws Invariant when those it points at are not there, or damaged. */
  async of({ metadata, spec: { secretsFingerprint } }: NotificationChannel): Promise<ChannelSecrets> {
    if (secretsFingerprint === undefined) return {};
    const found = await this.secrets.find(ownerOf(metadata), kindOf(secretsFingerprint));
    if (!found) throw invariant('The secrets that the channel points at are not there');
    return stored.parse(JSON.parse(Buffer.from(found.plain).toString('utf8')));
  }

  /** Those that were replaced, or came with a write that was refused, an hour ago. Idempotent. */
  async removeReplaced({ metadata, spec: { secretsFingerprint: inUse } }: NotificationChannel): Promise<void> {
    await this.secrets.removeOthers(ownerOf(metadata), inUse && kindOf(inUse), REPLACED_KEPT_MS);
  }

  /** Idempotent. */
  async removeAll(channel: Name): Promise<void> {
    await this.secrets.removeOwner(ownerOf(channel));
  }
}

/** Tells two sets apart, and nothing else: it is drawn by lot, since a digest of a short secret could be guessed. */
export function newFingerprint(): string {
  return randomBytes(FINGERPRINT_BYTES).toString('hex');
}

/** Whether both hold the same. */
export function isSameSecrets(left: ChannelSecrets, right: ChannelSecrets): boolean {
  return isDeepStrictEqual(plain(left), plain(right));
}

/** Whether there is anything to keep. */
export function holdsNothing(secrets: ChannelSecrets): boolean {
  return isSameSecrets(secrets, {});
}

/** Without what is undefined or empty. */
function plain({ secret, headers = {}, url }: ChannelSecrets): object {
  return {
    ...(secret === undefined ? {} : { secret }),
    ...(url === undefined ? {} : { url }),
    ...(Object.keys(headers).length === 0 ? {} : { headers: { ...headers } }),
  };
}

function ownerOf({ namespace = '', name }: Name): string {
  return `notificationchannel/${namespace}/${name}`;
}

function kindOf(fingerprint: string): string {
  return `notification-secrets/${fingerprint}`;
}
