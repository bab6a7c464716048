import { describe, expect, it } from '@jest/globals';
import type { GuardedHttp } from './guarded-http.js';
import { HttpSender } from './http-sender.js';

const TOKEN = '3f8a9c0d1e2f3a4b5c6d';

function saying(text: string): HttpSender {
  const http = { post: () => Promise.resolve({ status: 401, text }) };
  return new HttpSender(http as unknown as GuardedHttp, 'test');
}

async function detailOf(text: string, secret: string): Promise<string | undefined> {
  const post = { url: new URL('https://receiver.example/'), headers: {}, body: '' };
  const { detail } = await saying(text).send(post as never, [secret], new AbortController().signal);
  return detail;
}

describe('what a receiver says', () => {
  it.each([
    { how: 'whole', text: `no: Bearer ${TOKEN}`, secret: `Bearer ${TOKEN}` },
    { how: 'without its scheme', text: `invalid token ${TOKEN}`, secret: `Bearer ${TOKEN}` },
    { how: 'as the password in it', text: `no ${TOKEN}`, secret: `Basic ${btoa(`ops:${TOKEN}`)}` },
    { how: 'where it would be cut', text: `${'x'.repeat(285)} ${TOKEN}`, secret: `Bearer ${TOKEN}` },
  ])('shows no secret $how', async ({ text, secret }) => {
    const detail = await detailOf(text, secret);
    expect(detail).toContain('The receiver answered 401');
    expect(detail).not.toContain(TOKEN.slice(0, 6));
  });

  it('is shown otherwise', async () => {
    expect(await detailOf('invalid token', `Bearer ${TOKEN}`)).toContain('invalid token');
  });
});
