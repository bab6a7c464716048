import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** Key pair that machines are created with. */
export interface SshKeyPair {
  /** One line of `authorized_keys`. */
  readonly publicKey: string;
  /** Unencrypted, in OpenSSH's own form, which every SSH client reads. */
  readonly privateKey: string;
}

const TYPE = 'ssh-ed25519';
const LINE_LENGTH = 70;
const BLOCK_SIZE = 8;

/** A new Ed25519 key pair; `comment` stands at the end of the public half. */
export function newSshKeyPair(comment: string): SshKeyPair {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const point = Buffer.from(jwk.x ?? '', 'base64url');
  const seed = Buffer.from(jwk.d ?? '', 'base64url');
  const publicBlob = Buffer.concat([wireString(TYPE), wireString(point)]);
  return {
    publicKey: `${TYPE} ${publicBlob.toString('base64')} ${comment}`,
    privateKey: armour(privateBlob({ publicBlob, point, seed, comment })),
  };
}

interface KeyParts {
  readonly publicBlob: Buffer;
  readonly point: Buffer;
  readonly seed: Buffer;
  readonly comment: string;
}

// Source: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key
function privateBlob({ publicBlob, point, seed, comment }: KeyParts): Buffer {
  // The same number twice lets a reader tell a wrong passphrase; it need not be secret.
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    wireString(TYPE),
    wireString(point),
    wireString(Buffer.concat([seed, point])),
    wireString(comment),
  ]);
  return Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    wireString('none'),
    wireString('none'),
    wireString(''),
    uint32(1),
    wireString(publicBlob),
    wireString(padded(secret)),
  ]);
}

function armour(blob: Buffer): string {
  const lines = blob.toString('base64').match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

function padded(data: Buffer): Buffer {
  const missing = (BLOCK_SIZE - (data.length % BLOCK_SIZE)) % BLOCK_SIZE;
  return Buffer.concat([data, Buffer.from(Array.from({ length: missing }, (_, index) => index + 1))]);
}

function wireString(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The public half of a private key that `newSshKeyPair` made. */
export function publicKeyOf(privateKey: string, comment: string): string {
  const blob = Buffer.from(privateKey.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  let offset = 'openssh-key-v1\0'.length;
  const next = (): Buffer => {
    const length = blob.readUInt32BE(offset);
    offset += 4 + length;
    return blob.subarray(offset - length, offset);
  };
  next(); // cipher
  next(); // key derivation
  next(); // its options
  offset += 4; // number of keys
  return `${TYPE} ${next().toString('base64')} ${comment}`;
}
