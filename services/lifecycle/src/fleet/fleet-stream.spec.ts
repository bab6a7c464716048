import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { FleetEvent } from '@crate/api';
import { eventually } from '@crate/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aFleetCluster } from '../testing/a-fleet.js';
import { FleetIndex } from './fleet-index.js';
import { FleetPages, type PageLine } from './fleet-pages.js';
import { parseFleetQuery } from './fleet-query.js';
import { streamFleet } from './fleet-stream.js';

const CLUSTERS = 500;
/** More than the buffers of any socket take. */
const PADDING = Buffer.from(`,"padding":"${'x'.repeat(20_000_000)}"}\n`);

let index: FleetIndex;
let server: Server;
let socket: Socket;
let written: number;
let errors: unknown[];
let ended: Promise<void>;
let isLarge: boolean;
let settings: { stalledAfterMs?: number; beatMs?: number };
beforeEach(async () => {
  [written, errors, settings, isLarge] = [0, [], {}, true];
  const told = errors;
  index = new FleetIndex();
  for (let number = 0; number < CLUSTERS; number += 1) put(number);
  index.confirm('1', Infinity);
  server = createServer((_request, response) => {
    const write = response.write.bind(response) as (chunk: string) => boolean;
    response.write = ((chunk: string): boolean => {
      written += 1;
      return write(chunk);
    }) as typeof response.write;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const query = parseFleetQuery(new URLSearchParams('limit=500&sort=name'));
    const pages = isLarge ? new LargePages(index) : new FleetPages(index);
    const visible = (): Promise<{ key: string }> => Promise.resolve({ key: '*' });
    const onError = (error: unknown): void => void told.push(error);
    ended = streamFleet({ response, signal: gone.signal, index, pages, query, visible, onError, ...settings });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function put(number: number, ready = 0): void {
  const nodes = { ready, desired: 5 };
  index.put(aFleetCluster({ name: `c-${String(number).padStart(3, '0')}`, status: { nodes } }));
}

/** Pages that no socket takes at once, as often as they are asked for. */
class LargePages extends FleetPages {
  override get restMs(): number {
    return 10;
  }

  override lineOf(...asked: Parameters<FleetPages['lineOf']>): PageLine {
    const { line, ...rest } = super.lineOf(...asked);
    return { ...rest, line: Buffer.concat([line.subarray(0, -2), PADDING]) };
  }
}

async function open(): Promise<void> {
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
}

/** Complete lines of what the socket gave since it was resumed. */
function events(): () => readonly FleetEvent[] {
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk)).resume();
  return () => {
    const body = text.slice(text.indexOf('\r\n\r\n') + 4).replaceAll(/(^|\r\n)[0-9a-f]+\r\n/g, '');
    return body
      .split('\n')
      .slice(0, -1)
      .map((line) => line.trim())
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as FleetEvent);
  };
}

describe('a reader of the fleet', () => {
  it('that reads slowly gets the newest page next, and nothing waits for it meanwhile', async () => {
    await open();
    await eventually(() => expect(written).toBe(1));
    // Longer than the pause between two pages, with something new all the time.
    for (let turn = 1; turn <= 20; turn += 1) {
      put(0, turn);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(written).toBe(1);
    const read = events();
    const ready = (event: FleetEvent | undefined): number | undefined =>
      event?.type === 'PAGE' ? event.page.rows[0]?.nodes.ready : undefined;
    await eventually(() => expect(ready(read().at(-1))).toBe(20));
    expect(read().map(ready)).toEqual([0, 20]);
  });

  it('that reads nothing at all is let go', async () => {
    settings = { stalledAfterMs: 100 };
    await open();
    await eventually(() => expect(written).toBe(1));
    await ended;
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('stopped reading') })]);
    expect(written).toBe(1);
  });

  it('hears that the connection stands while nothing changes', async () => {
    [settings, isLarge] = [{ beatMs: 50 }, false];
    await open();
    const read = events();
    await eventually(() => expect(read().map(({ type }) => type)).toEqual(['PAGE', 'BEAT', 'BEAT']));
  });
});

describe('pages of watches', () => {
  it('rest longer the more of the time of the process they take', () => {
    let now = 0;
    const slow = new FleetIndex({
      uptime: () => {
        now += 50;
        return now;
      },
    });
    slow.confirm('1', Infinity);
    const pages = new FleetPages(slow);
    expect(pages.restMs).toBe(500);
    for (let number = 0; number < 20; number += 1) {
      pages.lineOf(parseFleetQuery(new URLSearchParams(`limit=${number + 1}`)), { key: '*' });
    }
    const busy = pages.restMs;
    expect(busy).toBeGreaterThan(2_000);
    now += 60_000;
    slow.confirm('1', Infinity);
    expect(pages.restMs).toBe(500);
  });

  it('are made once for all who ask the same and see the same', () => {
    const pages = new FleetPages(index);
    const query = parseFleetQuery(new URLSearchParams());
    const first = pages.lineOf(query, { key: '*' });
    expect(pages.lineOf(parseFleetQuery(new URLSearchParams('watch=true')), { key: '*' })).toBe(first);
    const projects = index.labels.project.matching(() => false);
    expect(pages.lineOf(query, { projects, key: '' }).line.toString()).toContain('"total":0');
    put(0, 5);
    expect(pages.lineOf(query, { key: '*' })).not.toBe(first);
    expect(JSON.parse(first.line.toString())).toMatchObject({
      type: 'PAGE',
      page: { kind: 'FleetPage', total: CLUSTERS },
    });
  });
});
