import { describe, expect, it } from '@jest/globals';
import { draftOf, specOf } from './channel-draft.js';
import { aChannel } from './testing/a-channel.js';

describe('a draft of a channel', () => {
  it('is sent with the block of its type alone, whatever was filled in on the way', () => {
    const draft = draftOf(undefined);
    const spec = { ...draft.spec, type: 'email' as const, webhook: { url: 'https://a.b' }, email: { to: ['a@b.c'] } };
    expect(specOf({ ...draft, spec })).toEqual({
      type: 'email',
      email: { to: ['a@b.c'] },
      severities: ['Critical', 'Warning'],
    });
  });

  it('keeps a block that says nothing: the URL of Slack is stored, and not shown', () => {
    const { spec } = draftOf(aChannel({ spec: { type: 'slack', slack: {} } }));
    expect(specOf({ metadata: {}, spec: { ...spec, slack: undefined } })).toMatchObject({ slack: {} });
  });
});
