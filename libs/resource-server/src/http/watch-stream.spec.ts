import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { WatchEvent } from '@crate/api';
import { streamWatch } from './watch-stream.js';

/** A response whose client takes only so many lines. */
class Client extends EventEmitter {
  readonly lines: string[] = [];
  destroyed = false;
  isEnded = false;

  constructor(private readonly takes: number) {
    super();
  }

  writeHead(): void {}
  flushHeaders(): void {}

  write(line: string): boolean {
    this.lines.push(line);
    return this.lines.length < this.takes;
  }

  end(): void {
    this.isEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

async function* endless(taken: { count: number }): AsyncGenerator<WatchEvent> {
  for (;;) {
    taken.count += 1;
    yield await Promise.resolve({ type: 'MODIFIED', object: {} } as WatchEvent);
  }
}

describe('streamWatch', () => {
  it('lets a client go that stopped reading, and the watch with it', async () => {
    const client = new Client(3);
    const taken = { count: 0 };
    const errors: unknown[] = [];
    await streamWatch({
      response: client as unknown as ServerResponse,
      events: endless(taken),
      signal: new AbortController().signal,
      show: (event) => event,
      onError: (error) => errors.push(error),
      stalledAfterMs: 20,
    });

    expect(client).toMatchObject({ destroyed: true, isEnded: false });
    expect([taken.count, client.lines.length]).toEqual([3, 3]);
    expect(errors).toEqual([expect.objectContaining({ code: 'Unavailable' })]);
  });

  it('goes on when the client reads again in time', async () => {
    const client = new Client(1);
    const abort = new AbortController();
    const write = client.write.bind(client);
    client.write = (line) => {
      if (client.lines.length === 4) abort.abort();
      setImmediate(() => client.emit('drain'));
      return write(line);
    };
    const stream = { signal: abort.signal, show: (event: unknown) => event, onError: () => undefined };
    await streamWatch({ ...stream, response: client as unknown as ServerResponse, events: endless({ count: 0 }) });

    expect(client).toMatchObject({ destroyed: false, isEnded: true });
    expect(client.lines).toHaveLength(5);
  });
});
