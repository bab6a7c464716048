import type { FileHandle } from 'node:fs/promises';

/** The last bytes of a file, however large it is; all of it when it is shorter. */
export async function readEnd(file: FileHandle, bytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc(Math.min(size, bytes)),
    position: Math.max(0, size - bytes),
  });
  return buffer.subarray(0, bytesRead);
}
