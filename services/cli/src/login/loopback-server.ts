import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { badRequest, conflict, timeout } from '@crate/errors';
import { findPortHolder } from '../up/port-holder.js';

const PATH = '/callback';
const PAGE = `<!doctype html><meta charset="utf-8"><title>Crate</title>
<p style="font: 1.2rem sans-serif; margin: 3rem">You can close this window and go back to the terminal.</p>`;

/** Waits on this computer for the browser to come back from the issuer (RFC 8252, section 7.3). */
export class LoopbackServer {
  private readonly arrived: Promise<URL>;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {
    this.arrived = new Promise((resolve) => {
      server.on('request', (request: IncomingMessage, response: ServerResponse) => {
        // Anybody on this computer may ask for what makes no URL, such as `//`.
        const url = URL.parse(request.url ?? '/', this.redirectUri);
        const isCallback = request.method === 'GET' && url?.pathname === PATH;
        response.writeHead(isCallback ? 200 : 404, { 'content-type': 'text/html; charset=utf-8', connection: 'close' });
        response.end(isCallback ? PAGE : '');
        if (isCallback) resolve(url);
      });
    });
  }

  /** Port 0: any that is free. Throws Conflict, naming the holder, for one that is taken, and BadRequest for one that may not be used. */
  static async open(port = 0): Promise<LoopbackServer> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    }).catch(cannotListen(port));
    return new LoopbackServer(server, (server.address() as AddressInfo).port);
  }

  get redirectUri(): string {
    return `http://127.0.0.1:${this.port}${PATH}`;
  }

  /** The URL that the browser was sent to. Throws Timeout. */
  async callback(withinMs: number): Promise<URL> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(timeout(`Nobody signed in within ${withinMs / 60_000} minutes`)), withinMs);
    });
    return Promise.race([this.arrived, late]).finally(() => clearTimeout(timer));
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function cannotListen(port: number): (error: NodeJS.ErrnoException) => never {
  return ({ code, message }) => {
    if (code === 'EADDRINUSE') {
      const holder = findPortHolder(port) ?? 'another program';
      throw conflict(`Port ${port} is taken by ${holder}. End that, or give another --redirect-port`);
    }
    const why = code === 'EACCES' ? 'only root may; give another --redirect-port' : message;
    throw badRequest(`Cannot listen on port ${port}: ${why}`);
  };
}
