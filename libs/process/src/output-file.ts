import { constants } from 'node:fs';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHUNK_BYTES = 64 * 1024;

/**
 * A nameless file that a program writes and we read behind it.
 *
 * NOTE: not a pipe. A Go program that writes to a pipe whose reader died is ended by SIGPIPE at once, so Terraform
 * would lose its state exactly when its parent crashes; a file takes what it has to say until it is done.
 */
export class OutputFile {
  private position = 0;
  private readonly buffer = Buffer.allocUnsafe(CHUNK_BYTES);

  private constructor(private readonly file: FileHandle) {}

  static async open(): Promise<OutputFile> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-output-'));
    try {
      const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
      return new OutputFile(await open(join(directory, 'output'), flags, 0o600));
    } finally {
      // Without a name it is gone with the last process that holds it, and nobody else can read it.
      await rm(directory, { recursive: true, force: true });
    }
  }

  get fd(): number {
    return this.file.fd;
  }

  /** Everything written since the last call, in chunks. */
  async *read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { bytesRead } = await this.file.read(this.buffer, 0, CHUNK_BYTES, this.position);
      if (bytesRead === 0) return;
      this.position += bytesRead;
      yield this.buffer.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
