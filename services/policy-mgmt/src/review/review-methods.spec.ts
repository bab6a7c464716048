import type { PolicyReviewRequest } from '@crate/api';
import { MOST_REVIEWS_AT_ONCE, type ServiceMethod } from '@crate/messaging';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { reviewMethods } from './review-methods.js';

const context = { caller: { user: 'system:cluster-mgmt', groups: [] }, traceId: 'trace' };
const subject = { namespace: 'team-a', name: 'demo' };

let log: string[];
/** Called while a document is judged. */
let judging: (index: number) => void;
let methods: Readonly<Record<string, ServiceMethod>>;
beforeEach(() => {
  log = [];
  judging = () => undefined;
  methods = reviewMethods({
    ensureFresh: () => Promise.resolve(void log.push('fresh')),
    judge: (request) => {
      const { index } = request.document as { index: number };
      log.push(`judge ${index}`);
      judging(index);
      return { allowed: index !== 1, violations: [] };
    },
    note: ({ judged, isPart }) => void log.push(`note ${judged.length}${isPart ? ' of more' : ''}`),
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
    expect(log).toEqual(['fresh']);
  });

  it('notes what was judged by then as a part', async () => {
    const waiting = new AbortController();
    judging = (index) => (index === 1 ? waiting.abort() : undefined);
    const asked = call('reviewAll', { requests: requests(3) }, waiting.signal);
    await expect(asked).rejects.toMatchObject({ code: 'Timeout' });
    expect(log).toEqual(['fresh', 'judge 0', 'judge 1', 'note 2 of more']);
  });
});
