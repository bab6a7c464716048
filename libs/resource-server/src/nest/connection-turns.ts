import type { Http2Session, ServerHttp2Stream } from 'node:http2';

/** Bytes of answers that a client has not taken yet; above it, what it asks for next over the same connection waits. */
const MAX_UNTAKEN_BYTES = 32 * 1024 * 1024;

interface Waiting {
  readonly go: () => void;
  readonly late: NodeJS.Timeout;
}

/** Requests of one HTTP/2 connection wait while its client has much to take that it has asked for before. */
export class ConnectionTurns {
  private readonly streams = new Set<ServerHttp2Stream>();
  private readonly waiting = new Map<ServerHttp2Stream, Waiting>();

  constructor(private readonly waitMs: number) {}

  /** Calls `go` at once or as soon as there is room, and `refuse` where there is none in time: the client may wait for this very answer before it reads on. */
  take(stream: ServerHttp2Stream, go: () => void, refuse: () => void): void {
    this.streams.add(stream);
    stream.on('drain', () => this.letGo());
    stream.once('close', () => this.leave(stream));
    if (this.waiting.size === 0 && this.hasRoom()) return go();
    const late = setTimeout(() => {
      this.waiting.delete(stream);
      refuse();
    }, this.waitMs);
    this.waiting.set(stream, { go, late });
  }

  private hasRoom(): boolean {
    let untaken = 0;
    for (const { writableLength } of this.streams) untaken += writableLength;
    return untaken <= MAX_UNTAKEN_BYTES;
  }

  private letGo(): void {
    if (this.waiting.size === 0 || !this.hasRoom()) return;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { go, late } of waiting) {
      clearTimeout(late);
      go();
    }
  }

  private leave(stream: ServerHttp2Stream): void {
    this.streams.delete(stream);
    clearTimeout(this.waiting.get(stream)?.late);
    this.waiting.delete(stream);
    this.letGo();
  }
}

/** The turns of each connection, made when it asks for something. */
export function turnsOf(waitMs: number): (session: Http2Session) => ConnectionTurns {
  const known = new WeakMap<Http2Session, ConnectionTurns>();
  return (session) => {
    const turns = known.get(session) ?? new ConnectionTurns(waitMs);
    known.set(session, turns);
    return turns;
  };
}
