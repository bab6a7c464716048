import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { forbidden, unavailable } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { ObjectProgress } from '../progress/object-progress.js';
import { aComponent, notUpToDate } from '../testing/a-component.js';
import { awaitUpgrade } from './await-upgrade.js';

const wish = { spec: { version: '0.2.0' } };
const WAITS = aComponent('lifecycle', { ...wish, status: notUpToDate('WaitingForWindow', 'It waits for its window') });
const DONE = aComponent('lifecycle', { ...wish, status: { installedVersion: '0.2.0' } });

/** An API that answers these, one after the other, and the last one from then on. */
function playing(...answers: readonly unknown[]): Pick<ApiClient, 'get'> {
  const left = [...answers];
  const next = async (): Promise<unknown> => {
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer instanceof Error) throw answer;
    return { items: [answer], metadata: {} };
  };
  return { get: next as ApiClient['get'] };
}

function waitFor(api: Pick<ApiClient, 'get'>, timeoutMs = 60_000): { ended: Promise<unknown>; shown: PassThrough } {
  const shown = new PassThrough();
  const progress = new ObjectProgress(shown as unknown as NodeJS.WriteStream, () => 0);
  return { ended: awaitUpgrade(api, { to: '0.2.0', timeoutMs, lookEveryMs: 1, progress }), shown };
}

describe('awaitUpgrade', () => {
  it('shows each change once, until all have ended, also when the platform is away meanwhile', async () => {
    const { ended, shown } = waitFor(playing(WAITS, WAITS, unavailable('away'), WAITS, DONE));
    expect(await ended).toEqual([DONE]);
    expect(String(shown.read())).toBe(
      '[0s] lifecycle 0/3 WaitingForWindow: It waits for its window\n[0s] lifecycle 3/3 Has 0.2.0\n',
    );
  });

  it.each([
    { name: 'where the first of them is', api: playing(WAITS), want: /lifecycle has 0\.1\.0: It waits for its window/ },
    { name: 'that nobody answers', api: playing(unavailable('away')), want: /the platform does not answer/ },
  ])('says when it takes too long, and $name', async ({ api, want }) => {
    await expect(waitFor(api, 0).ended).rejects.toMatchObject({
      code: 'Timeout',
      message: expect.stringMatching(want),
    });
  });

  it('waits no longer for what it may not see', async () => {
    await expect(waitFor(playing(WAITS, forbidden('no'))).ended).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
