import { gunzipSync, gzipSync } from 'node:zlib';

const KIND = 'SubresourceFile';

/** A file as it travels between services: plain JSON, packed because messages are bounded. */
export interface SubresourceFile {
  readonly kind: typeof KIND;
  readonly fileName: string;
  readonly mediaType: string;
  /** gzip, in base64. */
  readonly content: string;
}

/** A file as it is sent to a client. */
export interface OpenedFile {
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** What a subresource answers that is a file, such as a PDF: a client gets it under its media type, to be saved. */
export function subresourceFile(fileName: string, mediaType: string, content: string | Uint8Array): SubresourceFile {
  return { kind: KIND, fileName, mediaType, content: gzipSync(content).toString('base64') };
}

/** The file that an answer is; undefined for any other answer. */
export function asSubresourceFile(answer: unknown): OpenedFile | undefined {
  const { kind, fileName, mediaType, content } = (answer ?? {}) as Partial<SubresourceFile>;
  if (kind !== KIND || fileName === undefined || mediaType === undefined || content === undefined) return undefined;
  return { fileName, mediaType, bytes: gunzipSync(Buffer.from(content, 'base64')) };
}
