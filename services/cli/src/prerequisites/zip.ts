import { inflateRawSync } from 'node:zlib';

const END_SIGNATURE = 0x06054b50;
const END_LENGTH = 22;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_LENGTH = 46;
const LOCAL_LENGTH = 30;
const STORED = 0;
const DEFLATED = 8;

/**
 * The content of one file of a ZIP archive, so that no unpacker has to be installed; undefined when it is not in there.
 * Source: APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
 */
export function readZipEntry(archive: Uint8Array, name: string): Uint8Array | undefined {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = findEnd(bytes);
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(at) !== ENTRY_SIGNATURE) throw new Error('The archive is damaged');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const from = at + ENTRY_LENGTH;
    const to = from + (nameLength ?? 0);
    if (bytes.toString('utf8', from, to) === name) return contentOf(bytes, at);
    at = to + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return undefined;
}

function findEnd(bytes: Buffer): number {
  // A comment may follow, so the record is looked for from behind.
  for (let at = bytes.length - END_LENGTH; at >= 0; at -= 1) {
    if (bytes.readUInt32LE(at) === END_SIGNATURE) return at;
  }
  throw new Error('This is no ZIP archive');
}

function contentOf(bytes: Buffer, entry: number): Uint8Array {
  const method = bytes.readUInt16LE(entry + 10);
  const size = bytes.readUInt32LE(entry + 20);
  const local = bytes.readUInt32LE(entry + 42);
  // The local header repeats the name, but its extra fields may differ in length.
  const start = local + LOCAL_LENGTH + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const content = bytes.subarray(start, start + size);
  if (method === STORED) return content;
  if (method === DEFLATED) return inflateRawSync(content);
  throw new Error(`The archive uses compression method ${method}`);
}
