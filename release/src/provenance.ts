import { sign, verify, type KeyLike } from 'node:crypto';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** What provenance says: which artefacts, from what, by whom. A statement of in-toto with the predicate of SLSA. */
export interface Statement {
  readonly _type: string;
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: unknown;
}

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly sig: string }[];
}

/** The statement of a release. It holds no time, so that two builds of one commit say the same. */
export function statement(release: {
  readonly digests: ReadonlyMap<string, string>;
  readonly version: string;
  readonly commit: string;
  readonly lock: string;
  readonly builder: string;
}): Statement {
  const { digests, version, commit, lock, builder } = release;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...digests].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://crate.dev/release/v1',
        externalParameters: { version },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: lock } },
        ],
      },
      runDetails: { builder: { id: builder, version: { node: process.version } } },
    },
  };
}

/** A statement under a signature, as DSSE has it. */
export function envelope(said: Statement, key: string): Envelope {
  const payload = Buffer.from(JSON.stringify(said));
  const sig = sign('sha256', encoded(payload), key).toString('base64');
  return { payloadType: PAYLOAD_TYPE, payload: payload.toString('base64'), signatures: [{ sig }] };
}

/** The statement in an envelope; undefined when no signature on it is of the key. */
export function openEnvelope(text: string, key: KeyLike): Statement | undefined {
  const { payloadType, payload, signatures } = JSON.parse(text) as Envelope;
  const bytes = Buffer.from(payload, 'base64');
  const isSigned = signatures.some(({ sig }) => verify('sha256', encoded(bytes), key, Buffer.from(sig, 'base64')));
  return isSigned && payloadType === PAYLOAD_TYPE ? (JSON.parse(bytes.toString('utf8')) as Statement) : undefined;
}

/** What is signed: type and payload with their lengths, so that nothing can be taken for something else. */
function encoded(payload: Buffer): Buffer {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
