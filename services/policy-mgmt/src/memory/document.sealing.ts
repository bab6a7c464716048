import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { AesGcmSecretBox, SealedSecret, SealedTable, SecretBinding } from '@crate/secrets';
import { textOf, type DocumentKey, type RememberedRequest } from './remembered-document.js';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Of which the service moves rows under its newest key. */
export const DOCUMENT_TABLE: SealedTable = {
  name: 'policy_documents',
  key: ['namespace', 'cluster', 'stage', 'kind', 'name'],
  bindingOf: (key) => bindingOf(key as unknown as DocumentKey),
  contentOf: async (packed) => unpack(packed),
};

/** What the service's box offers that documents need. */
export type DocumentBox = Pick<AesGcmSecretBox, 'seal' | 'open' | 'digest' | 'newestKeyId' | 'knows'>;

/** Packs and seals documents, each bound to its key: a row that was put in another's place does not open. */
export class DocumentSealing {
  constructor(private readonly box: DocumentBox) {}

  async seal(key: DocumentKey, content: string): Promise<SealedSecret> {
    const packed = await pack(content, { level: constants.Z_BEST_SPEED });
    return this.box.seal(packed, bindingOf(key));
  }

  async open(key: DocumentKey, sealed: SealedSecret): Promise<RememberedRequest> {
    const packed = await this.box.open(sealed, bindingOf(key));
    return JSON.parse((await unpack(packed)).toString('utf8')) as RememberedRequest;
  }

  /** Tells whether two contents of one document are the same, to those who have the key. */
  async digest(key: DocumentKey, content: string, keyId: string): Promise<Buffer> {
    return Buffer.from(await this.box.digest(Buffer.from(content), bindingOf(key), keyId));
  }

  /** What stands under another key is sealed anew when it is next asked about, if it has not been moved by then. */
  async newestKeyId(): Promise<string> {
    return this.box.newestKeyId();
  }

  /** Whether what stands under the key can be read. */
  async knows(keyId: string): Promise<boolean> {
    return this.box.knows(keyId);
  }
}

/** There are no versions: the newest is all that is kept, and an older one put in its place only lasts until the next review. */
function bindingOf(key: DocumentKey): SecretBinding {
  return { ownerUid: textOf(key), kind: 'policy-document', serial: 1 };
}
