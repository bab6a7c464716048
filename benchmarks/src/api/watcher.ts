import { Agent, get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Latencies } from '../load/latencies.js';
import type { Endpoint } from './endpoint.js';

const NEWLINE = 10;
const QUOTE = 34;
const REVISION = Buffer.from('"resourceVersion":"');

/** Annotation of a write with the moment it was sent, in microseconds of the machine's own clock. */
export const SENT = 'bench.crate.dev/sent';
const SENT_AT = Buffer.from(`"${SENT}":"`);

/** The machine's clock that all its processes share. */
export function nowMicroseconds(): bigint {
  return process.hrtime.bigint() / 1000n;
}

/** One open watch. Keeps the revision of each event and how long it took from the write to here; reads nothing else of it. */
export class Watcher {
  readonly revisions: number[] = [];
  private rest: Buffer = Buffer.alloc(0);
  private end: string | undefined;

  private constructor(
    private readonly response: IncomingMessage,
    private readonly latencies: Latencies,
  ) {
    response.on('data', (chunk: Buffer) => this.take(chunk));
    response.once('close', () => (this.end ??= 'closed'));
    response.once('error', (error) => (this.end = error.message));
  }

  /** Resolves when the server has answered with its headers: the watch stands. */
  static async open({ url, ca, token }: Endpoint, path: string, latencies: Latencies): Promise<Watcher> {
    const agent = new Agent({ keepAlive: false, ca });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } }, resolve).once('error', reject);
    });
    if (response.statusCode !== 200) throw new Error(`The watch was answered with ${response.statusCode}`);
    return new Watcher(response, latencies);
  }

  /** Why no more events come; undefined while they do. */
  get endedBy(): string | undefined {
    return this.end;
  }

  close(): void {
    this.response.destroy();
  }

  /** Takes the next bytes, wherever they were cut. */
  private take(chunk: Buffer): void {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.event(bytes.subarray(start, end));
      start = end + 1;
    }
    this.rest = bytes.subarray(start);
  }

  private event(line: Buffer): void {
    this.revisions.push(Number(valueAfter(line, REVISION)));
    const sentAt = valueAfter(line, SENT_AT);
    if (sentAt !== undefined) this.latencies.add(Number(nowMicroseconds() - BigInt(sentAt)) / 1000);
  }
}

/** The text between a marker and the next quotation mark. */
function valueAfter(line: Buffer, marker: Buffer): string | undefined {
  const at = line.indexOf(marker);
  if (at < 0) return undefined;
  const start = at + marker.length;
  return line.toString('latin1', start, line.indexOf(QUOTE, start));
}
