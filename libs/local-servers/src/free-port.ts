import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that systems give to outgoing connections: one of these may take the port of a server that is between two lives. */
const FIRST = 15_000;
const BEYOND = 32_000;
const ATTEMPTS = 50;
/** Whoever was given one may not listen yet. */
const given = new Set<number>();

/**
 * A TCP port nobody listens on right now, on the loopback interface. Servers that start again find it free, unless another server took it.
 * Another process may take it before the caller does, so a server that fails to bind should be tried again with a new one.
 * Source: https://www.iana.org/assignments/service-names-port-numbers (dynamic ports from 49152 on; Linux begins at 32768)
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, BEYOND);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port found between ${FIRST} and ${BEYOND}`);
}

/** Whether this process could listen on the loopback port now. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
