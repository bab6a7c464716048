import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { SshReader, sshInteger, sshString, withoutLeadingZeros } from './wire.js';

const CURVES = [
  { ssh: 'nistp256', jwk: 'P-256', bytes: 32 },
  { ssh: 'nistp384', jwk: 'P-384', bytes: 48 },
  { ssh: 'nistp521', jwk: 'P-521', bytes: 66 },
] as const;

/** The key of one line of `authorized_keys`; undefined when the line holds none that is known. */
export function parseAuthorizedKey(line: string): KeyObject | undefined {
  const encoded = /(?:^|\s)(?:ssh-(?:rsa|ed25519)|ecdsa-sha2-nistp\d+)\s+([A-Za-z0-9+/=]+)/.exec(line)?.[1];
  if (!encoded) return undefined;
  try {
    return createPublicKey({ key: parseBlob(Buffer.from(encoded, 'base64')), format: 'jwk' });
  } catch {
    return undefined; // A damaged key opens nothing, like an absent one.
  }
}

/** The line of `authorized_keys` for a public or private key. Throws for key types SSH has no name for. */
export function authorizedKeyOf(key: KeyObject): string {
  const jwk = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  const [type, blob] = formatBlob(jwk);
  return `${type} ${blob.toString('base64')}`;
}

/** True when both lines hold the same key, whatever their comments. */
export function isSameAuthorizedKey(left: string, right: string): boolean {
  const [a, b] = [parseAuthorizedKey(left), parseAuthorizedKey(right)];
  return a !== undefined && b !== undefined && a.equals(b);
}

function parseBlob(blob: Buffer): JsonWebKey {
  const reader = new SshReader(blob);
  const type = reader.string().toString();
  if (type === 'ssh-rsa') {
    const [e, n] = [reader.string(), reader.string()];
    return { kty: 'RSA', e: urlSafe(withoutLeadingZeros(e)), n: urlSafe(withoutLeadingZeros(n)) };
  }
  if (type === 'ssh-ed25519') return { kty: 'OKP', crv: 'Ed25519', x: urlSafe(reader.string()) };

  const name = reader.string().toString();
  const curve = CURVES.find((known) => known.ssh === name);
  if (!curve) throw new RangeError(`Unknown SSH key type ${type}`);
  const point = reader.string(); // 0x04, x, y
  const x = point.subarray(1, 1 + curve.bytes);
  return { kty: 'EC', crv: curve.jwk, x: urlSafe(x), y: urlSafe(point.subarray(1 + curve.bytes)) };
}

function formatBlob(jwk: JsonWebKey): [type: string, blob: Buffer] {
  if (jwk.kty === 'RSA') {
    return ['ssh-rsa', Buffer.concat([sshString('ssh-rsa'), sshInteger(bytes(jwk.e)), sshInteger(bytes(jwk.n))])];
  }
  if (jwk.crv === 'Ed25519') {
    return ['ssh-ed25519', Buffer.concat([sshString('ssh-ed25519'), sshString(bytes(jwk.x))])];
  }
  const curve = CURVES.find((known) => known.jwk === jwk.crv);
  if (!curve) throw new RangeError(`SSH has no key type for ${jwk.kty ?? 'this'} key`);
  const type = `ecdsa-sha2-${curve.ssh}`;
  const point = Buffer.concat([Buffer.of(4), bytes(jwk.x), bytes(jwk.y)]);
  return [type, Buffer.concat([sshString(type), sshString(curve.ssh), sshString(point)])];
}

function bytes(value: string | undefined): Buffer {
  return Buffer.from(value ?? '', 'base64url');
}

function urlSafe(value: Buffer): string {
  return value.toString('base64url');
}
