import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Below those that systems give to outgoing connections: one of these may take the port of a server that is between two lives. */
const FIRST = 15_000;
const BEYOND = 32_000;
const ATTEMPTS = 50;

/**
 * A TCP port nobody listens on right now, on the loopback interface, claimed by this process.
 * Servers that start again find it free, unless another server took it: a program that claims no ports may.
 * Source: https://www.iana.org/assignments/service-names-port-numbers (dynamic ports from 49152 on; Linux begins at 32768)
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, BEYOND);
    if ((await claimPort(port)) && (await isFree(port))) return port;
  }
  throw new Error(`No free port found between ${FIRST} and ${BEYOND}`);
}

/**
 * Keeps `freePort` of every process of the machine from giving this loopback port, for as long as this process lives:
 * seconds pass between choosing a port and a server's listening on it. False when it is claimed already, also by this process.
 * The claim is the UDP port of the same number, so that the system gives it back whatever becomes of the process.
 */
export async function claimPort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const claim = createSocket('udp4');
    claim.once('error', () => resolve(false));
    claim.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      claim.unref();
      resolve(true);
    });
  });
}

/** Whether this process could listen on the loopback port now. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
