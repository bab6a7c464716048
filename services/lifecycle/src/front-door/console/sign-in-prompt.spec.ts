import { describe, expect, it } from '@jest/globals';
import { cannotAsk, signInPrompt } from './sign-in-prompt.js';

describe('signInPrompt', () => {
  it.each([
    { reason: 'nobody signed out before', asksAnew: false, scopes: ['openid'], supported: undefined, want: '' },
    { reason: 'the issuer says nothing', asksAnew: true, scopes: ['openid'], supported: undefined, want: 'login' },
    { reason: 'it can ask for a login', asksAnew: true, scopes: [], supported: ['none', 'login'], want: 'login' },
    {
      ...{ reason: 'it can ask for an account alone', asksAnew: true, scopes: [] },
      ...{ supported: ['none', 'select_account'], want: 'select_account' },
    },
    { reason: 'it can ask neither', asksAnew: true, scopes: [], supported: ['none'], want: '' },
    {
      ...{ reason: 'a refresh token is wanted', asksAnew: true, scopes: ['openid', 'offline_access'] },
      ...{ supported: undefined, want: 'login consent' },
    },
  ])('is "$want" where $reason', ({ want, ...given }) => {
    expect(signInPrompt(given)).toBe(want);
  });
});

it.each([
  { error: 'login_required', want: true },
  { error: 'invalid_request', want: true },
  { error: 'access_denied', want: false },
  { error: null, want: false },
])('tells an issuer that cannot ask from a person who does not want to: $error', ({ error, want }) => {
  expect(cannotAsk(error)).toBe(want);
});
