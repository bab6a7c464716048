import { connect, type Socket } from 'node:net';
import { eventually } from '../eventually.js';

const USER = 'spy';
const PASSWORD = 'a-spy-password';

/** Configuration text of nats-server with one more user, who may hear everything. */
export function withSpy(config: string): string {
  const user = `    { user: "${USER}", password: "${PASSWORD}", permissions: { subscribe: ">" } }`;
  const changed = config.replace('users: [', `users: [\n${user}`);
  if (changed === config) throw new Error('The configuration of nats-server has no list of users');
  return config.includes(`user: "${USER}"`) ? config : changed;
}

/** Hears every message on a NATS server whose configuration went through `withSpy`, as the bytes that crossed the wire. */
export class NatsSpy {
  /** Resolves once the server is gone, or the spy was stopped. What was heard stays. */
  readonly ended: Promise<void>;
  private readonly chunks: Buffer[] = [];

  private constructor(private readonly socket: Socket) {
    this.ended = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk) => this.hear(chunk));
    // A server that restarts ends the socket; what was heard stays.
    socket.on('error', () => undefined);
  }

  /** Returns when the server has taken the subscription. */
  static async listen(port: number): Promise<NatsSpy> {
    const socket = connect(port, '127.0.0.1');
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const spy = new NatsSpy(socket);
    const login = {
      user: USER,
      pass: PASSWORD,
      verbose: false,
      pedantic: false,
      headers: true,
      lang: 'spy',
      version: '1',
    };
    socket.write(`CONNECT ${JSON.stringify(login)}\r\nSUB > 1\r\nPING\r\n`);
    await spy.answered().catch((error: unknown) => {
      spy.stop();
      throw error;
    });
    return spy;
  }

  /** Everything heard so far: headers and payloads of all messages. */
  get heard(): Buffer {
    return Buffer.concat(this.chunks);
  }

  /** As `heard`, which begins anew. */
  take(): Buffer {
    return Buffer.concat(this.chunks.splice(0));
  }

  /** Sends a message and returns once it was heard: proof that the spy hears. */
  async say(subject: string, text: string): Promise<void> {
    const payload = Buffer.from(text);
    this.socket.write(`PUB ${subject} ${payload.length}\r\n`);
    this.socket.write(Buffer.concat([payload, Buffer.from('\r\n')]));
    await eventually(() => {
      if (!this.heard.includes(payload)) throw new Error('The spy did not hear what it said');
    });
  }

  stop(): void {
    this.socket.destroy();
  }

  private hear(chunk: Buffer): void {
    this.chunks.push(chunk);
    if (chunk.includes('PING\r\n')) this.socket.write('PONG\r\n');
  }

  private async answered(): Promise<void> {
    for (let waits = 0; !this.heard.includes('PONG\r\n'); waits += 1) {
      if (waits > 500) throw new Error(`nats-server did not let the spy in: ${this.heard.toString()}`);
      await new Promise((next) => setTimeout(next, 10));
    }
    if (this.heard.includes('-ERR')) throw new Error(`nats-server refused the spy: ${this.heard.toString()}`);
  }
}
