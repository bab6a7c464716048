import { describe, expect, it } from '@jest/globals';
import { NOTIFICATION_CHANNEL } from './notification-channel.js';

const URL = 'https://hooks.example.org/crate';
const VALID = { type: 'webhook', webhook: { url: URL } };

function pathsOf(spec: object): readonly string[] {
  const { error } = NOTIFICATION_CHANNEL.body.safeParse({ spec });
  return (error?.issues ?? []).map(({ path }) => path.join('.'));
}

describe('a NotificationChannel', () => {
  it('tells what is bad, unless it says otherwise', () => {
    const { spec } = NOTIFICATION_CHANNEL.body.parse({ spec: VALID }) as { spec: object };
    expect(spec).toMatchObject({ severities: ['Critical', 'Warning'], paused: false });
  });

  it.each([
    { reason: 'a type needs its block', given: { type: 'slack' }, want: ['spec.slack'] },
    {
      reason: 'and no other one',
      given: { ...VALID, email: { to: ['ada@example.org'] } },
      want: ['spec.email'],
    },
    {
      reason: 'a password in a URL would be shown to whoever reads the channel',
      given: { type: 'webhook', webhook: { url: 'https://me:secret@example.org/' } },
      want: ['spec.webhook.url'],
    },
    {
      reason: 'other protocols are not spoken',
      given: { type: 'slack', slack: { url: 'ftp://a.b' } },
      want: ['spec.slack.url'],
    },
    {
      reason: 'what Crate signs by is not set by anybody else',
      given: { type: 'webhook', webhook: { url: URL, headers: [{ name: 'Webhook-Id', value: 'x' }] } },
      want: ['spec.webhook.headers.0.name'],
    },
    {
      reason: 'a line end would begin another header',
      given: { type: 'webhook', webhook: { url: URL, headers: [{ name: 'X-A', value: 'a\r\nX-B: b' }] } },
      want: ['spec.webhook.headers.0.value'],
    },
    {
      reason: 'a header has one value',
      given: { type: 'webhook', webhook: { url: URL, headers: [{ name: 'A' }, { name: 'a' }] } },
      want: ['spec.webhook.headers'],
    },
    { reason: 'mail goes to addresses', given: { type: 'email', email: { to: ['ada'] } }, want: ['spec.email.to.0'] },
    { reason: 'a channel for nothing is a mistake', given: { ...VALID, severities: [] }, want: ['spec.severities'] },
  ])('is refused, because $reason', ({ given, want }) => {
    expect(pathsOf(given)).toEqual(want);
  });

  it('takes back what it shows, without its secrets', () => {
    expect(pathsOf({ type: 'slack', slack: {}, secretsFingerprint: 'abc' })).toEqual([]);
    expect(pathsOf({ type: 'webhook', webhook: { url: URL, headers: [{ name: 'Authorization' }] } })).toEqual([]);
  });
});
