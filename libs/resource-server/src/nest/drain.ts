import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import type { Server } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 20;
/** Each takes one connection that waits to be taken; in a busy process there are a few. */
const TURNS = 16;

/** The connections of a listener, and how they come to their end without a client noticing. */
export class Connections {
  private readonly sockets = new Set<Socket>();
  private readonly sessions = new Set<ServerHttp2Session>();
  private isDraining = false;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    // Of a listener that speaks HTTP/2.
    server.on('session', (session: ServerHttp2Session) => {
      this.sessions.add(session);
      session.once('close', () => this.sessions.delete(session));
      // It was on its way already.
      if (this.isDraining) session.close();
    });
    server.prependListener('request', ({ httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
      if (this.isDraining && httpVersionMajor < 2) response.setHeader('connection', 'close');
    });
  }

  /**
   * Takes no new connections, and gives those that are open so long to go by themselves: over HTTP/1.1 with their next answer, over HTTP/2
   * as soon as they are told. What is cut while it is idle may be just about to send a request. `endStreams` ends answers that go on for
   * as long as the client likes: whoever had one comes back on the same connection, and has to be answered there.
   */
  async drain(withinMs: number, endStreams: () => void = () => undefined): Promise<void> {
    this.isDraining = true;
    // Clients of connections that wait believe to be connected; closing would reset them.
    for (let turns = 0; turns < TURNS; turns += 1) await turn();
    // That of the listener would cut what is idle.
    NetServer.prototype.close.call(this.server);
    for (const session of this.sessions) session.close();
    endStreams();
    const until = performance.now() + withinMs;
    while (this.sockets.size > 0 && performance.now() < until) await delay(LOOK_MS, undefined, { ref: false });
  }

  /** Whatever is under way. */
  cut(): void {
    this.sockets.forEach((socket) => socket.destroy());
  }
}
