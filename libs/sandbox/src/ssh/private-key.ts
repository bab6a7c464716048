import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { SshReader, withoutLeadingZeros } from './wire.js';

const OPENSSH = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+?)-----END OPENSSH PRIVATE KEY-----/;
const CURVES: Record<string, { readonly jwk: string; readonly bytes: number }> = {
  nistp256: { jwk: 'P-256', bytes: 32 },
  nistp384: { jwk: 'P-384', bytes: 48 },
  nistp521: { jwk: 'P-521', bytes: 66 },
};

/**
 * Reads an unencrypted private key in PEM (PKCS #1, PKCS #8, SEC 1) or OpenSSH's own form.
 * Throws with a message that never quotes the key.
 */
export function parsePrivateKey(text: string): KeyObject {
  const body = OPENSSH.exec(text)?.[1];
  if (body === undefined) return createPrivateKey(text);
  return createPrivateKey({ key: parseOpenSsh(Buffer.from(body, 'base64')), format: 'jwk' });
}

// Source: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key
function parseOpenSsh(data: Buffer): JsonWebKey {
  const outer = new SshReader(data);
  outer.skip('openssh-key-v1\0'.length);
  const cipher = outer.string().toString();
  if (cipher !== 'none') throw new Error('ssh: this private key is passphrase protected');
  outer.string(); // key derivation function
  outer.string(); // its options
  outer.uint32(); // number of keys
  outer.string(); // public key

  const reader = new SshReader(outer.string());
  reader.skip(8); // two equal check numbers
  const type = reader.string().toString();
  if (type === 'ssh-ed25519') return ed25519(reader);
  if (type === 'ssh-rsa') return rsa(reader);
  return ecdsa(reader, type);
}

function ed25519(reader: SshReader): JsonWebKey {
  const publicKey = reader.string();
  const seed = reader.string().subarray(0, 32);
  return { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url'), d: seed.toString('base64url') };
}

function rsa(reader: SshReader): JsonWebKey {
  const [n, e, d, iqmp, p, q] = Array.from({ length: 6 }, () => withoutLeadingZeros(reader.string())) as SixIntegers;
  const [bigD, bigP, bigQ] = [toBigInt(d), toBigInt(p), toBigInt(q)];
  return {
    kty: 'RSA',
    n: n.toString('base64url'),
    e: e.toString('base64url'),
    d: d.toString('base64url'),
    p: p.toString('base64url'),
    q: q.toString('base64url'),
    dp: fromBigInt(bigD % (bigP - 1n)),
    dq: fromBigInt(bigD % (bigQ - 1n)),
    qi: iqmp.toString('base64url'),
  };
}

function ecdsa(reader: SshReader, type: string): JsonWebKey {
  const curve = CURVES[reader.string().toString()];
  if (!curve) throw new Error(`ssh: unhandled key type ${type}`);
  const point = reader.string();
  const d = withoutLeadingZeros(reader.string());
  return {
    kty: 'EC',
    crv: curve.jwk,
    x: point.subarray(1, 1 + curve.bytes).toString('base64url'),
    y: point.subarray(1 + curve.bytes).toString('base64url'),
    d: Buffer.concat([Buffer.alloc(curve.bytes - d.length), d]).toString('base64url'),
  };
}

type SixIntegers = [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];

function toBigInt(value: Buffer): bigint {
  return BigInt(`0x${value.toString('hex')}`);
}

function fromBigInt(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}
