import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { promisify } from 'node:util';
import {
  bits,
  insideOf,
  integer,
  nothing,
  objectId,
  octets,
  partsOf,
  sequence,
  setOf,
  tagged,
  time,
  utf8,
  yes,
} from './der.js';

/** A certificate and its private key, both PEM (PKCS #8). */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** Whom a certificate names, for what, and for how long. */
export interface CertificateWish {
  readonly commonName: string;
  readonly organization?: string | undefined;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly isAuthority?: boolean;
  readonly usages: readonly KeyUsage[];
  readonly extendedUsages?: readonly ExtendedUsage[];
  /** DNS names and IP addresses. */
  readonly names?: readonly string[];
}

// Bits from the left. Source: RFC 5280, 4.2.1.3.
const KEY_USAGE = { digitalSignature: 0x80, keyEncipherment: 0x20, keyCertSign: 0x04 } as const;
type KeyUsage = keyof typeof KEY_USAGE;

const EXTENDED_USAGE = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;
type ExtendedUsage = keyof typeof EXTENDED_USAGE;

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  sha256WithRsa: '1.2.840.113549.1.1.11',
} as const;

const VERSION_3 = Buffer.of(2);
const SERIAL_BYTES = 16;
/** Of the version in a certificate's signed part, which the first one does not say. Source: RFC 5280, 4.1. */
const VERSION_TAG = 0xa0;
/** Index in that part, its version left out. */
const SUBJECT = 4;

const makeKeys = promisify(generateKeyPair);

/** A new key; P-256, as RSA ones take seconds. */
export async function newKey(): Promise<KeyObject> {
  return (await makeKeys('ec', { namedCurve: 'P-256' })).privateKey;
}

/** PEM (PKCS #8) of a private key. */
export function exportKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * A certificate (PEM) of a key's public half, signed by an authority or, without one, by itself. The authority may be one that others made: RSA or of
 * an elliptic curve, its key in any PEM. Throws for other keys.
 */
export function signCertificate(key: KeyObject, wish: CertificateWish, authority?: CertificatePair): string {
  const signer = authority ? createPrivateKey(authority.key) : key;
  const algorithm = algorithmOf(signer);
  const subject = nameOf(wish);
  const content = sequence(
    tagged(VERSION_TAG, integer(VERSION_3)),
    integer(serialNumber()),
    algorithm,
    authority ? subjectOf(authority.certificate) : subject,
    sequence(time(wish.notBefore), time(wish.notAfter)),
    subject,
    publicHalf(key),
    tagged(0xa3, sequence(...extensionsOf(wish, authority))),
  );
  return pemOf(sequence(content, algorithm, bits(sign('sha256', content, signer))));
}

function algorithmOf({ asymmetricKeyType }: KeyObject): Buffer {
  if (asymmetricKeyType === 'rsa') return sequence(objectId(OID.sha256WithRsa), nothing());
  if (asymmetricKeyType === 'ec') return sequence(objectId(OID.ecdsaWithSha256));
  throw new Error(`No certificates are signed with a key of ${asymmetricKeyType}`);
}

/** Positive, and never twice. */
function serialNumber(): Buffer {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function nameOf({ commonName, organization }: CertificateWish): Buffer {
  const part = (id: string, text: string): Buffer => setOf(sequence(objectId(id), utf8(text)));
  const group = organization === undefined ? [] : [part(OID.organization, organization)];
  return sequence(...group, part(OID.commonName, commonName));
}

/** Byte for byte, as chains are compared by. */
function subjectOf(certificate: string): Uint8Array {
  const [content = Buffer.of()] = partsOf(new X509Certificate(certificate).raw);
  const subject = partsOf(content).filter(([tag]) => tag !== VERSION_TAG)[SUBJECT];
  if (!subject) throw new Error('The certificate of the authority names no subject');
  return subject;
}

function publicHalf(key: KeyObject): Buffer {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  return half.export({ type: 'spki', format: 'der' });
}

function extensionsOf(wish: CertificateWish, authority: CertificatePair | undefined): readonly Buffer[] {
  const { isAuthority = false, extendedUsages = [], names = [] } = wish;
  const usage = wish.usages.reduce((sum, name) => sum | KEY_USAGE[name], 0);
  const extended = extendedUsages.map((name) => objectId(EXTENDED_USAGE[name]));
  return [
    critical(OID.basicConstraints, sequence(...(isAuthority ? [yes()] : []))),
    critical(OID.keyUsage, bits(Buffer.of(usage), Math.clz32(usage & -usage) ^ 31)),
    ...(extended.length > 0 ? [extension(OID.extendedKeyUsage, sequence(...extended))] : []),
    ...(authority ? [extension(OID.authorityKeyIdentifier, sequence(tagged(0x80, keyIdentifier(authority))))] : []),
    ...(names.length > 0 ? [extension(OID.subjectAltName, sequence(...names.map(alternativeName)))] : []),
  ];
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), octets(value));
}

function critical(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), yes(), octets(value));
}

/** SHA-1 of the bits of the public key, which names it and protects nothing. Source: RFC 5280, 4.2.1.2, method 1. */
function keyIdentifier({ certificate }: CertificatePair): Buffer {
  const [, key = Buffer.of()] = partsOf(publicHalf(new X509Certificate(certificate).publicKey));
  const content = insideOf(key).subarray(1); // Behind the number of unused bits.
  return createHash('sha1').update(content).digest();
}

function alternativeName(name: string): Buffer {
  if (isIPv4(name)) return tagged(0x87, Buffer.from(name.split('.').map(Number)));
  if (isIPv6(name)) return tagged(0x87, ipv6Bytes(name));
  return tagged(0x82, Buffer.from(name, 'latin1'));
}

function ipv6Bytes(address: string): Buffer {
  // As URLs have it: hexadecimal throughout, and the longest run of zeros left out.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text = ''): readonly string[] => text.split(':').filter((group) => group !== '');
  const [head, tail] = [groups(before), groups(after)];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const hex = [...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join('');
  return Buffer.from(hex, 'hex');
}

function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
