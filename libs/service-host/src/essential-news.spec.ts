import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@crate/api';
import { unavailable } from '@crate/errors';
import { EssentialNews } from './essential-news.js';
import type { ForeignChange } from './foreign-watch.js';

let news: EssentialNews;
beforeEach(() => {
  news = new EssentialNews(({ status }) => (status as { readonly phase: string }).phase);
});

function aChild(phase: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'child', uid: '1' }, status: { phase } } as never;
}

/** Whether it is told as what passes only show. */
async function tell(phase: string, change: ForeignChange = 'MODIFIED'): Promise<boolean | undefined> {
  let told: boolean | undefined;
  await news.tell(aChild(phase), change, (isShownOnly) => Promise.resolve(void (told = isShownOnly)));
  return told;
}

describe('EssentialNews', () => {
  it('tells an object as shown only when it is heard of again as it was', async () => {
    expect([await tell('Running'), await tell('Running'), await tell('Done')]).toEqual([false, true, false]);
  });

  it.each(['MODIFIED', 'DELETED'] as const)(
    'tells what is %s as news again when it could not be told',
    async (change) => {
      await tell('Running');
      const away = unavailable('The database is away');
      await expect(news.tell(aChild('Done'), change, () => Promise.reject(away))).rejects.toBe(away);
      expect(await tell('Done', change)).toBe(false);
    },
  );

  it('takes what comes after a deletion for news', async () => {
    await tell('Running');
    expect([await tell('Running', 'DELETED'), await tell('Running', 'ADDED')]).toEqual([false, false]);
  });
});
