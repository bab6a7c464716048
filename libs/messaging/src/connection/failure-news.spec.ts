import { describe, expect, it } from '@jest/globals';
import { FailureNews } from './failure-news.js';

const refused = (port: number): Error =>
  new Error('connection refused', { cause: new Error(`connect ECONNREFUSED 127.0.0.1:${port}`) });
const untrusted = new Error('self-signed certificate in certificate chain');

describe('a failure of what is tried again and again', () => {
  it('is news once for each cause, also where two take turns', () => {
    const news = new FailureNews(() => 0);
    const tried = [refused(4222), refused(4223), refused(4222), refused(4223), untrusted, untrusted];
    expect(tried.map((error) => news.isNews(error))).toEqual([true, true, false, false, true, false]);
  });

  it('is news again after five minutes', () => {
    let now = 0;
    const news = new FailureNews(() => now);
    const told = [0, 1000, 299_999, 300_000, 300_001].map((at) => {
      now = at;
      return news.isNews(untrusted);
    });
    expect(told).toEqual([true, false, false, true, false]);
  });
});
