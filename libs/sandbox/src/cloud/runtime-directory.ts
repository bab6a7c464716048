import { createHash } from 'node:crypto';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { alreadyExists } from '@crate/errors';

const OWNER_ONLY = 0o700;
const LOCK = 'lock.sock';

/**
 * Where the sockets of one data directory lie while a process has it: in the system's directory for temporary files,
 * because the path of a socket may have about 100 characters only. Also keeps a second process away.
 */
export class RuntimeDirectory {
  private constructor(
    readonly path: string,
    private readonly lock: Server,
  ) {}

  /** Throws AlreadyExists while another process has the data directory. */
  static async open(dataDirectory: string): Promise<RuntimeDirectory> {
    const hash = createHash('sha256').update(resolve(dataDirectory)).digest('hex').slice(0, 12);
    const path = join(tmpdir(), `crate-sandbox-${hash}`);
    if (await answers(join(path, LOCK))) throw alreadyExists('sandbox', dataDirectory);
    // Whatever is in it was left by a process that died.
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { mode: OWNER_ONLY });
    await chmod(path, OWNER_ONLY);
    return new RuntimeDirectory(path, await listen(join(path, LOCK)));
  }

  async close(): Promise<void> {
    await new Promise((done) => this.lock.close(done));
    await rm(this.path, { recursive: true, force: true });
  }
}

/** A socket answers exactly as long as the process that made it lives. */
async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  const isAnswered = await new Promise<boolean>((done) => {
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
  socket.destroy();
  return isAnswered;
}

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((done, reject) => {
    server.once('error', reject);
    server.listen(path, done);
  });
  return server;
}
