import { beforeEach, describe, expect, it } from '@jest/globals';
import { channelTest } from './channel-deliveries.js';
import type { ChannelName, EndedAttempt } from './outbox.js';
import { aChannel, ALERTS } from './testing/a-channel.js';

const CONTEXT = { caller: { user: 'ada', groups: [] }, traceId: 'trace' };
const REF = { group: 'lifecycle.crate.dev', version: 'v1alpha1', plural: 'notificationchannels', name: 'alerts' };

let noted: EndedAttempt['kind'][];
let looked: ChannelName[];
beforeEach(() => {
  noted = [];
  looked = [];
});

async function test(kind: EndedAttempt['kind'], dryRun = false): Promise<unknown> {
  const { write } = channelTest({
    outbox: { note: (_channel, _message, how) => Promise.resolve(void noted.push(how.kind)) },
    sender: {
      hindrance: () => Promise.resolve(undefined),
      send: () => Promise.resolve({ kind, tookMs: 5 }),
    },
    onArrival: (channel) => Promise.resolve(void looked.push(channel)),
  });
  return write?.(aChannel(), REF, { verb: 'create', body: {}, dryRun }, CONTEXT);
}

describe('a test of a channel', () => {
  it('has the channel looked at once it arrived, whose status says how the last attempt went', async () => {
    expect(await test('Delivered')).toMatchObject({ attempt: { outcome: 'Delivered' } });
    expect(noted).toEqual(['Delivered']);
    expect(looked).toEqual([ALERTS]);
  });

  it.each([{ kind: 'Failed' as const }, { kind: 'Retry' as const }])(
    'says nothing of the channel when it ended as $kind',
    async ({ kind }) => {
      expect(await test(kind)).toMatchObject({ attempt: { outcome: 'Failed' } });
      expect(noted).toEqual([kind]);
      expect(looked).toEqual([]);
    },
  );

  it('sends nothing when it is only tried', async () => {
    expect(await test('Delivered', true)).toMatchObject({ attempt: { outcome: 'Unknown' } });
    expect([noted, looked]).toEqual([[], []]);
  });
});
