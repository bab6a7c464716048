import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { notFound, unavailable } from '@crate/errors';
import type { CallContext } from '@crate/resource-client';
import { currentContext, newTraceId, runInSpan, type Span } from '@crate/telemetry';
import { TestPlatform } from '../testing/platform.js';
import type { NatsServiceCaller } from './nats-service-caller.js';

let platform: TestPlatform;
let caller: NatsServiceCaller;
const inside: unknown[] = [];

beforeAll(async () => {
  platform = await TestPlatform.start();
  caller = await platform.caller('lifecycle');
  await platform.serve('policy-mgmt', () => ({
    review: {
      scope: 'policy:review',
      handle: (body) => {
        inside.push(currentContext().traceId);
        if (body === 'missing') throw notFound('Policy', 'x');
        if (body === 'away') throw unavailable('Away');
        return Promise.resolve('ok');
      },
    },
  }));
});
afterAll(() => platform.stop());
afterEach(() => {
  platform.tracer.spans.splice(0);
  inside.splice(0);
});

/** Calls as part of `span`. */
function callIn(span: Span, body: unknown): Promise<unknown> {
  const context: CallContext = { caller: { user: 'ada', groups: [] }, traceId: span.place.traceId };
  return runInSpan(span, {}, () => caller.call('policy-mgmt', 'review', body, context));
}

describe('a call in a span', () => {
  it('is a span at either end, one below the other, in the trace of the caller', async () => {
    const cause = platform.tracer.begin('pass');
    await callIn(cause, 'good');
    const [, client, server, ...more] = platform.tracer.spans;
    expect(more).toEqual([]);
    expect([client?.name, server?.name]).toEqual(['policy-mgmt/review', 'policy-mgmt/review']);
    expect([client?.kind, server?.kind]).toEqual(['client', 'server']);
    expect(client?.parentSpanId).toBe(cause.place.parentId);
    expect(server?.parentSpanId).toBe(client?.place.parentId);
    expect(server?.place.traceId).toBe(cause.place.traceId);
    expect(inside).toEqual([cause.place.traceId]);
    expect(server?.attributes).toEqual({
      'rpc.system.name': 'nats',
      'rpc.method': 'policy-mgmt/review',
      'crate.caller.service': 'lifecycle',
    });
    expect([client?.isEnded, server?.isEnded]).toEqual([true, true]);
  });

  it.each([
    { body: 'missing', code: 'NotFound' },
    { body: 'away', code: 'Unavailable' },
  ])('that fails with $code says so at either end', async ({ body, code }) => {
    await expect(callIn(platform.tracer.begin('pass'), body)).rejects.toMatchObject({ code });
    const [, client, server] = platform.tracer.spans;
    expect([client?.error, server?.error]).toMatchObject([{ code }, { code }]);
    expect([client?.isEnded, server?.isEnded]).toEqual([true, true]);
  });
});

describe('a call outside of any span', () => {
  it('keeps its trace id, and asks nobody to record it', async () => {
    const traceId = newTraceId();
    await caller.call('policy-mgmt', 'review', 'good', { caller: { user: 'ada', groups: [] }, traceId });
    expect(inside).toEqual([traceId]);
    expect(platform.tracer.spans[0]?.place).toMatchObject({ traceId, sampled: false });
  });
});
