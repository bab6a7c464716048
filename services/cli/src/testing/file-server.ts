import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves files from memory on loopback, in place of a publisher of releases. */
export interface FileServer {
  readonly url: string;
  /** By path; may be changed at any time. */
  readonly files: Record<string, string | Uint8Array>;
  stop(): Promise<void>;
}

export async function startFileServer(files: Record<string, string | Uint8Array>): Promise<FileServer> {
  const server = createServer((request, response) => {
    const content = files[request.url ?? ''];
    response.statusCode = content === undefined ? 404 : 200;
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, files, stop };
}
