/** One message of PostgreSQL's protocol as a client sends it; the first one of a connection has no type. */
export interface ClientMessage {
  readonly type: string;
  /** Without type and length. */
  readonly body: Buffer;
}

const LENGTH_BYTES = 4;

/** Cuts a stream of bytes into messages. The first message of a client has no type byte. */
export class MessageCutter {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private isFirst: boolean) {}

  push(chunk: Buffer): ClientMessage[] {
    this.rest = Buffer.concat([this.rest, chunk]);
    const messages: ClientMessage[] = [];
    for (let next = this.next(); next; next = this.next()) messages.push(next);
    return messages;
  }

  private next(): ClientMessage | undefined {
    const start = this.isFirst ? 0 : 1;
    if (this.rest.length < start + LENGTH_BYTES) return undefined;
    const end = start + this.rest.readInt32BE(start);
    if (this.rest.length < end) return undefined;
    const type = this.isFirst ? '' : String.fromCharCode(this.rest[0] ?? 0);
    const body = this.rest.subarray(start + LENGTH_BYTES, end);
    this.rest = this.rest.subarray(end);
    this.isFirst = false;
    return { type, body };
  }
}

/** The text up to the next NUL, and where it ends. */
export function cString(body: Buffer, from = 0): { readonly text: string; readonly end: number } {
  const end = body.indexOf(0, from);
  return { text: body.toString('utf8', from, end), end: end + 1 };
}

/** Parameters of a Bind message, as text. */
export function parametersOf(body: Buffer): string[] {
  const { end: afterPortal } = cString(body);
  const { end: afterStatement } = cString(body, afterPortal);
  let at = afterStatement + 2 + 2 * body.readInt16BE(afterStatement);
  const parameters: string[] = [];
  const count = body.readInt16BE(at);
  at += 2;
  for (let index = 0; index < count; index += 1) {
    const length = body.readInt32BE(at);
    at += LENGTH_BYTES;
    if (length >= 0) parameters.push(body.toString('utf8', at, at + length));
    at += Math.max(length, 0);
  }
  return parameters;
}
