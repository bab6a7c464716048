import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AesGcmSecretBox, KeyRing } from '@crate/secrets';
import { SealedText } from './sealed-text.js';
import { SignOuts } from './sign-outs.js';

const signOuts = new SignOuts(
  new SealedText(new AesGcmSecretBox(new KeyRing([{ keyId: '1', key: Buffer.alloc(32, 1) }]))),
);

/** A browser with what it was given; `set` are the cookies of the last answer. */
class PlayedBrowser {
  set: readonly string[] = [];
  private readonly headers: { cookie?: string } = {};
  readonly request = { headers: this.headers } as IncomingMessage;
  readonly response = {
    getHeader: () => undefined,
    setHeader: (_name: string, cookies: readonly string[]) => {
      this.set = cookies;
      this.headers.cookie = cookies
        .filter((each) => !each.includes('Max-Age=0;'))
        .join()
        .replace(/;.*/, '');
    },
  } as unknown as ServerResponse;

  isLeft(issuer: string): Promise<boolean> {
    return signOuts.isLeft(this.request, issuer);
  }
}

describe('what is left of a session at an issuer', () => {
  it('is left at that one alone, until somebody signed in there', async () => {
    const browser = new PlayedBrowser();
    const { request, response } = browser;
    await signOuts.begin(request, response, { issuer: 'corporate' });
    expect([await browser.isLeft('corporate'), await browser.isLeft('partners')]).toEqual([true, false]);
    await signOuts.end(request, response, 'partners');
    expect(await browser.isLeft('corporate')).toBe(true);
    await signOuts.end(request, response, 'corporate');
    expect(await browser.isLeft('corporate')).toBe(false);
  });
});
