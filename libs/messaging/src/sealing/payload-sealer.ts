import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import type { FileKeyStore } from '@crate/auth';
import { badRequest, PlatformError } from '@crate/errors';

/** What a sealed text is for. It opens nowhere else: not for another subject, sender, receiver, request or direction. */
export interface SealBinding {
  readonly direction: 'request' | 'answer';
  readonly subject: string;
  readonly sender: string;
  readonly recipient: string;
  readonly requestId: string;
}

const VERSION = 'v1';
const INFO = 'crate/sealed-payload/v1';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals what only one service may read: an ephemeral X25519 key agreed with the receiver's, HKDF-SHA-256 over both public keys,
 * AES-256-GCM with the binding as additional data. The form is `v1.<key id>.<ephemeral key>.<ciphertext and tag>`.
 */
export class PayloadSealer {
  constructor(
    private readonly service: string,
    private readonly keys: Pick<FileKeyStore, 'findSealingKey' | 'findOpeningKey'>,
  ) {}

  /** Throws Unavailable (`SealingKeyMissing`) when the receiver has published no key: nothing is sent in the clear. */
  seal(value: unknown, binding: Omit<SealBinding, 'sender'>): string {
    const recipient = this.keys.findSealingKey(binding.recipient);
    if (!recipient) throw noKey(binding.recipient);
    const ephemeral = generateKeyPairSync('x25519');
    const point = rawPoint(ephemeral.publicKey);
    const shared = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient.publicKey });
    const { key, iv } = derive(shared, point, rawPoint(recipient.publicKey));
    const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(additionalData({ ...binding, sender: this.service }, recipient.kid));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, recipient.kid, point.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Throws Unavailable for a key this service has not (yet), BadRequest for what was changed or is meant for another. */
  open(text: string, binding: Omit<SealBinding, 'recipient'>): unknown {
    const [version, kid = '', point = '', sealed = ''] = text.split('.');
    if (version !== VERSION) throw malformed();
    const privateKey = this.keys.findOpeningKey(kid);
    if (!privateKey) throw unknownKey(this.service);
    try {
      const aad = additionalData({ ...binding, recipient: this.service }, kid);
      return decrypt(privateKey, Buffer.from(point, 'base64url'), Buffer.from(sealed, 'base64url'), aad);
    } catch (cause) {
      throw malformed(cause);
    }
  }
}

function decrypt(privateKey: KeyObject, point: Buffer, sealed: Buffer, aad: Uint8Array): unknown {
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'X25519', x: point.toString('base64url') },
    format: 'jwk',
  });
  const shared = diffieHellman({ privateKey, publicKey });
  const { key, iv } = derive(shared, point, rawPoint(createPublicKey(privateKey)));
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(aad);
  const end = sealed.length - TAG_BYTES;
  decipher.setAuthTag(sealed.subarray(end));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
  return JSON.parse(plain.toString('utf8')) as unknown;
}

/** The key is used once, so its initialisation vector may come from the same source. */
function derive(shared: Uint8Array, ephemeral: Uint8Array, recipient: Uint8Array): { key: Uint8Array; iv: Uint8Array } {
  const bytes = Buffer.from(
    hkdfSync('sha256', shared, Buffer.concat([ephemeral, recipient]), INFO, KEY_BYTES + IV_BYTES),
  );
  return { key: bytes.subarray(0, KEY_BYTES), iv: bytes.subarray(KEY_BYTES) };
}

/** JSON of a list is unambiguous: no two bindings encode alike. */
function additionalData(binding: SealBinding, kid: string): Uint8Array {
  const { direction, subject, sender, recipient, requestId } = binding;
  return Buffer.from(JSON.stringify([direction, subject, sender, recipient, requestId, kid]));
}

function rawPoint(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}

function noKey(service: string): Error {
  return new PlatformError(
    'Unavailable',
    `${service} has no key that secrets could be sealed with, so they were not sent`,
    {
      details: {
        reason: 'SealingKeyMissing',
        remedy: `Publish ${service}.sealing.jwks.json in the directory of public keys`,
      },
    },
  );
}

function unknownKey(service: string): Error {
  return new PlatformError('Unavailable', `A secret is sealed with a key that ${service} does not have`, {
    details: { reason: 'SealingKeyUnknown', remedy: 'Try again: a key that was just replaced is picked up in seconds' },
  });
}

function malformed(cause?: unknown): Error {
  const error = badRequest('A sealed part of the message does not open: it was changed, or is meant for another call');
  error.cause = cause;
  return error;
}
