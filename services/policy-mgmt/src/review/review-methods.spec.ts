import type { PolicyReviewRequest } from '@crate/api';
import { invariant, unavailable } from '@crate/errors';
import { MOST_REVIEWS_AT_ONCE, type ServiceMethod } from '@crate/messaging';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { reviewMethods } from './review-methods.js';

const context = { caller: { user: 'system:cluster-mgmt', groups: [] }, traceId: 'trace' };
const subject = { namespace: 'team-a', name: 'demo' };

let log: string[];
/** Called while a document is judged. */
let judging: (index: number) => void;
let refresh: () => Promise<void>;
let methods: Readonly<Record<string, ServiceMethod>>;
beforeEach(() => {
  log = [];
  judging = () => undefined;
  refresh = () => Promise.resolve();
  methods = reviewMethods({
    ensureFresh: async () => {
      await refresh();
      log.push('fresh');
    },
    judge: (request) => {
      const { index } = request.document as { index: number };
      log.push(`judge ${index}`);
      judging(index);
      return { allowed: index !== 1, violations: [] };
    },
    note: ({ judged, isPart }) => void log.push(`note ${judged.length}${isPart ? ' of more' : ''}`),
    failed: (unjudged) => void (unjudged.length > 0 && log.push(`failed ${unjudged.length}`)),
  });
});

function requests(count: number): PolicyReviewRequest[] {
  return Array.from({ length: count }, (_, index) => ({ stage: 'Manifest', document: { index }, subject }));
}

async function call(method: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
  return methods[method]?.handle(body, { ...context, ...(signal ? { signal } : {}) });
}

describe('reviewMethods', () => {
  it('judges by rules that are up to date', async () => {
    expect(await call('review', requests(1)[0])).toEqual({ allowed: true, violations: [] });
    expect(log).toEqual(['fresh', 'judge 0', 'note 1']);
  });

  it('gives a verdict for each of many documents, in order, and looks for changed rules once', async () => {
    const answer = (await call('reviewAll', { requests: requests(3) })) as { responses: { allowed: boolean }[] };
    expect(answer.responses.map(({ allowed }) => allowed)).toEqual([true, false, true]);
    expect(log).toEqual(['fresh', 'judge 0', 'judge 1', 'judge 2', 'note 3']);
  });

  it('knows that there are more than fit into one call', async () => {
    await call('reviewAll', { requests: requests(1), partial: true });
    expect(log).toEqual(['fresh', 'judge 0', 'note 1 of more']);
  });

  it.each([
    { name: 'none', body: { requests: [] }, field: 'requests' },
    { name: 'too many', body: { requests: requests(MOST_REVIEWS_AT_ONCE + 1) }, field: 'requests' },
    {
      name: 'a malformed one',
      body: { requests: [...requests(1), { stage: 'Manifest' }] },
      field: 'requests.1.subject',
    },
  ])('refuses $name, and judges nothing', async ({ body, field }) => {
    await expect(call('reviewAll', body)).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining(field),
    });
    expect(log).toEqual([]);
  });

  it('stops when nobody waits any more', async () => {
    const asked = call('reviewAll', { requests: requests(2) }, AbortSignal.abort());
    await expect(asked).rejects.toMatchObject({ code: 'Timeout' });
    expect(log).toEqual(['fresh', 'failed 2']);
  });

  it('notes what was judged by then as a part', async () => {
    const waiting = new AbortController();
    judging = (index) => (index === 1 ? waiting.abort() : undefined);
    const asked = call('reviewAll', { requests: requests(3) }, waiting.signal);
    await expect(asked).rejects.toMatchObject({ code: 'Timeout' });
    expect(log).toEqual(['fresh', 'judge 0', 'judge 1', 'failed 1', 'note 2 of more']);
  });

  it.each([
    { method: 'review', body: requests(1)[0], without: 1 },
    { method: 'reviewAll', body: { requests: requests(3) }, without: 3 },
  ])('tells of $without without a verdict where rules are not up to date', async ({ method, body, without }) => {
    refresh = () => Promise.reject(unavailable('The policies could not be read'));
    await expect(call(method, body)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(log).toEqual([`failed ${without}`]);
  });

  it('tells of a document that could not be judged, and of those that would have come after it', async () => {
    judging = (index) => {
      if (index === 1) throw invariant('The engine stumbled');
    };
    await expect(call('reviewAll', { requests: requests(3) })).rejects.toMatchObject({ code: 'Invariant' });
    expect(log).toEqual(['fresh', 'judge 0', 'judge 1', 'failed 2', 'note 1 of more']);
  });
});
