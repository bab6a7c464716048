import { describe, expect, it } from '@jest/globals';
import type { NotificationChannel } from '@crate/api';
import { channelState } from './channel-state.js';
import { aChannel } from './testing/a-channel.js';

function withConditions(...conditions: readonly (readonly [string, string])[]): NotificationChannel {
  const all = conditions.map(([type, status]) => ({ type, status, reason: 'R', message: `why ${type}` }));
  return { ...aChannel(), status: { conditions: all } } as unknown as NotificationChannel;
}

describe('a channel is, in a word', () => {
  it.each([
    { given: aChannel(), want: 'delivering', message: '' },
    { given: aChannel({ failing: '503' }), want: 'failing', message: '503' },
    { given: aChannel({ paused: true, failing: '503' }), want: 'paused', message: '' },
    { given: withConditions(['Ready', 'False'], ['Delivering', 'True']), want: 'stopped', message: 'why Ready' },
    { given: withConditions(['Ready', 'True'], ['Delivering', 'Unknown']), want: 'silent', message: '' },
    { given: withConditions(), want: 'unknown', message: '' },
  ])('$want', ({ given, want, message }) => {
    expect(channelState(given)).toMatchObject({ word: want, message });
  });

  it('removing, once that was asked for', () => {
    const channel = aChannel({ failing: '503' });
    const going = { ...channel, metadata: { ...channel.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(channelState(going).word).toBe('removing');
  });
});
