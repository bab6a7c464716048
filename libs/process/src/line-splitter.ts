import { StringDecoder } from 'node:string_decoder';
import type { Redactor } from './redactor.js';

/**
 * Turns bytes into redacted lines of at most `maxLength` characters; what a line has beyond that is dropped
 * and told by a mark, so that a program cannot fill our memory.
 */
export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private readonly keep: number;
  private pending = '';
  private dropped = 0;

  constructor(
    private readonly onLine: (line: string) => void,
    private readonly redactor: Redactor,
    private readonly maxLength: number,
  ) {
    // A secret that stands across the cut must still be seen whole.
    this.keep = maxLength + redactor.longest;
  }

  push(chunk: Uint8Array): void {
    const parts = this.decoder.write(Buffer.from(chunk)).split('\n');
    for (const part of parts.slice(0, -1)) {
      this.append(part);
      this.emit();
    }
    this.append(parts.at(-1) ?? '');
  }

  /** Emits what is left without a line end. */
  end(): void {
    this.append(this.decoder.end());
    if (this.pending.length > 0) this.emit();
  }

  private append(part: string): void {
    const room = Math.max(0, this.keep - this.pending.length);
    this.pending += part.slice(0, room);
    this.dropped += Math.max(0, part.length - room);
  }

  private emit(): void {
    const clean = this.redactor.redact(this.pending.replace(/\r$/, ''));
    const dropped = this.dropped + Math.max(0, clean.length - this.maxLength);
    this.pending = '';
    this.dropped = 0;
    this.onLine(dropped > 0 ? `${clean.slice(0, this.maxLength)} [${dropped} more characters]` : clean);
  }
}
