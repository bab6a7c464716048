import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import type { ApiAnswer } from '../platform/api-client.js';
import { anObject } from '../testing/a-world.js';
import type { KubeObject } from '../world/kube-object.js';
import { Watcher } from './watcher.js';

function at(revision: number): KubeObject {
  return anObject('Cluster', { metadata: { ...anObject('Cluster').metadata, resourceVersion: String(revision) } });
}

interface Stream {
  readonly statusCode?: number;
  readonly events?: readonly { readonly type: string; readonly object: object }[];
}

/** An API that answers lists at these revisions, and watches with these streams, which end, one after the other. */
class FakeApi {
  readonly resumed: (string | null)[] = [];
  private lists = 0;

  constructor(
    private readonly revisions: readonly number[],
    private readonly streams: readonly Stream[],
  ) {}

  send(): Promise<ApiAnswer> {
    const body = at(this.revisions[this.lists] ?? 0);
    this.lists += 1;
    return Promise.resolve({ status: 200, body, text: '' });
  }

  stream(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { statusCode = 200, events = [] } = this.streams[this.resumed.length] ?? { statusCode: 503 };
    this.resumed.push(new URLSearchParams(path.split('?')[1]).get('resourceVersion'));
    if (signal.aborted) return Promise.reject(new Error('Nobody listens any more'));
    const lines = events.map((event) => Buffer.from(`${JSON.stringify(event)}\n`));
    return Promise.resolve(Object.assign(Readable.from(lines), { statusCode }) as unknown as IncomingMessage);
  }
}

let watcher: Watcher | undefined;
afterEach(async () => watcher?.stop());

function watching(api: FakeApi): Watcher {
  watcher = new Watcher({ name: 'client 1', api, kind: 'Cluster', path: '/clusters' });
  watcher.start();
  return watcher;
}

describe('a watcher', () => {
  it('resumes where it was after a cut, and lists anew on 410', async () => {
    const gone = { type: 'ERROR', object: { code: 410 } };
    const streams = [{ events: [{ type: 'ADDED', object: at(4) }] }, { events: [gone] }, { statusCode: 410 }];
    const api = new FakeApi([3, 7, 9], streams);
    const { history } = watching(api);
    await eventually(() => api.resumed.length > 3);
    expect(api.resumed.slice(0, 4)).toEqual(['3', '4', '7', '9']);
    expect(history.spans).toMatchObject([
      { from: 3, to: 4, isForgotten: true, events: [{ type: 'ADDED', revision: 4 }] },
      { from: 7, isForgotten: true },
      { from: 9, isForgotten: false },
    ]);
  });

  it('begins once something was written: a watch from 0 is one from anywhere', async () => {
    const api = new FakeApi([0, 0, 3], []);
    const { history } = watching(api);
    await eventually(() => api.resumed.length > 0);
    expect(api.resumed[0]).toBe('3');
    expect(history.spans.map(({ from }) => from)).toEqual([3]);
  });
});
