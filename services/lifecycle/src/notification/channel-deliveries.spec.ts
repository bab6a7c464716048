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
    onEnd: (channel) => Promise.resolve(void looked.push(channel)),
  });
  return write?.(aChannel(), REF, { verb: 'create', body: {}, dryRun }, CONTEXT);
}

describe('a test of a channel', () => {
  it.each([
    { kind: 'Delivered' as const, outcome: 'Delivered' },
    { kind: 'Failed' as const, outcome: 'Failed' },
    { kind: 'Retry' as const, outcome: 'Failed' },
  ])('has the channel looked at when it ended as $kind, whose status may say so', async ({ kind, outcome }) => {
    expect(await test(kind)).toMatchObject({ attempt: { outcome } });
    expect(noted).toEqual([kind]);
    expect(looked).toEqual([ALERTS]);
  });

  it('sends nothing when it is only tried', async () => {
    expect(await test('Delivered', true)).toMatchObject({ attempt: { outcome: 'Unknown' } });
    expect([noted, looked]).toEqual([[], []]);
  });
});
