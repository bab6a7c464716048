import { createServer } from 'node:net';

/**
 * A TCP port nobody listens on right now, on the loopback interface.
 * Another process may take it before the caller does, so a server that fails to bind should be tried again with a new one.
 */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('Listening on TCP gave no port'));
        else resolve(address.port);
      });
    });
  });
}
