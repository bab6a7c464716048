import { describe, expect, it } from '@jest/globals';
import { secretsAfter, type ChannelBefore } from './stated-secrets.js';
import { aChannel } from './testing/a-channel.js';

const URL = 'https://hooks.example.org/crate';
const STORED = { secret: 'old-secret', headers: { authorization: 'old-value' } };
const BEFORE: ChannelBefore = { spec: aChannel().spec, secrets: STORED };
const NEW: ChannelBefore = { spec: undefined, secrets: {} };

function after(webhook: object, before = BEFORE): ReturnType<typeof secretsAfter> {
  return secretsAfter(aChannel({ webhook: { url: URL, ...webhook } }).spec, before);
}

describe('the secrets of a webhook', () => {
  it('are what is stated', () => {
    const { secrets, causes } = after({ secret: 's', headers: [{ name: 'Authorization', value: 'v' }] }, NEW);
    expect({ secrets, causes }).toEqual({ secrets: { secret: 's', headers: { authorization: 'v' } }, causes: [] });
  });

  it('stay when nobody states them again, and go when their header does', () => {
    expect(after({ headers: [{ name: 'authorization' }] })).toEqual({ secrets: STORED, causes: [] });
    expect(after({}).secrets).toEqual({ secret: 'old-secret', headers: {} });
    expect(after({ secret: '' }).secrets).toEqual({ headers: {} });
  });

  it('are asked for when there are none', () => {
    const { causes } = after({ headers: [{ name: 'Authorization', value: 'v' }, { name: 'X-Other' }] });
    expect(causes).toMatchObject([{ field: 'spec.webhook.headers[1].value', reason: 'FieldValueRequired' }]);
  });

  it('are not sent to another server because somebody changes the URL', () => {
    const moved = after({ url: 'https://evil.example.net/crate', headers: [{ name: 'Authorization' }] });
    expect(moved.causes).toMatchObject([{ message: expect.stringContaining('stated again') }]);
    expect(JSON.stringify(moved.secrets)).not.toContain('old-value');

    const path = after({ url: 'https://hooks.example.org/another', headers: [{ name: 'Authorization' }] });
    expect(path).toEqual({ secrets: STORED, causes: [] });
  });
});

describe('secrets that do not open', () => {
  const lost = (spec: ChannelBefore['spec']): ChannelBefore => ({ spec, secrets: undefined });
  const again = { reason: 'FieldValueRequired', message: expect.stringContaining('does not open') };

  it('have to be stated again, lest a webhook goes on unsigned', () => {
    const { causes } = after({ headers: [{ name: 'Authorization' }] }, lost(BEFORE.spec));
    const fields = ['spec.webhook.secret', 'spec.webhook.headers[0].value'];
    expect(causes).toEqual(fields.map((field) => ({ ...again, field })));
  });

  it.each([
    { how: 'stated', secret: 's', secrets: { secret: 's', headers: {} } },
    { how: 'taken away', secret: '', secrets: { headers: {} } },
  ])('are over when they are $how', ({ secret, secrets }) => {
    expect(after({ secret }, lost(BEFORE.spec))).toEqual({ secrets, causes: [] });
  });

  it('are no matter to a channel of another type, and are asked for by Slack', () => {
    const slack = aChannel({ type: 'slack', webhook: undefined, slack: {} }).spec;
    expect(after({}, lost(slack))).toEqual({ secrets: { headers: {} }, causes: [] });
    expect(secretsAfter(slack, lost(slack)).causes).toEqual([{ ...again, field: 'spec.slack.url' }]);
  });
});

describe('the secrets of a Slack channel', () => {
  const slack = (url?: string): ReturnType<typeof aChannel>['spec'] =>
    aChannel({ type: 'slack', webhook: undefined, slack: url === undefined ? {} : { url } }).spec;

  it('are its URL, which stays until another one is stated', () => {
    const before = { spec: slack(URL), secrets: { url: URL } };
    expect(secretsAfter(slack(), before).secrets).toEqual({ url: URL });
    expect(secretsAfter(slack('https://other.example.org/'), before).secrets).toEqual({
      url: 'https://other.example.org/',
    });
  });

  it('are asked for at first, and when it was a webhook before', () => {
    const causes = [{ field: 'spec.slack.url', reason: 'FieldValueRequired' }];
    expect(secretsAfter(slack(), NEW)).toMatchObject({ causes });
    expect(secretsAfter(slack(), BEFORE)).toMatchObject({ secrets: {}, causes });
  });
});
