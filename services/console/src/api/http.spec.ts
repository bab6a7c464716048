import { afterEach, expect, it, jest } from '@jest/globals';
import { apiFetch, apiJson, apiText } from './http.js';

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
  jest.restoreAllMocks();
});

/** A network that swallows what is sent. */
function silent(): void {
  globalThis.fetch = (_input, { signal } = {}) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
}

it('gives up a write that nobody answers: whoever waits for it is told', async () => {
  silent();
  const limit = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  const write = apiFetch('/apis', { method: 'POST', body: {} });
  // Longer than the platform takes at most to say that it could not.
  expect(timeout.mock.calls[0]?.[0]).toBeGreaterThan(60_000);
  limit.abort(new DOMException('signal timed out', 'TimeoutError'));
  await expect(write).rejects.toMatchObject({ status: 0, reason: 'Unreachable' });
});

it.each([
  { what: 'JSON', read: () => apiJson('/apis', { method: 'POST', body: {} }) },
  { what: 'text', read: () => apiText('/apis') },
])('has no answer where it breaks off in the middle of $what', async ({ read }) => {
  const body = (): ReadableStream => new ReadableStream({ start: (own) => own.error(new TypeError('network error')) });
  globalThis.fetch = () => Promise.resolve(new Response(body()));
  await expect(read()).rejects.toMatchObject({ status: 0, reason: 'Unreachable' });
});

it('waits for a read as long as it takes: watches and logs are never done', () => {
  silent();
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  void apiFetch('/apis?watch=true');
  expect(timeout).not.toHaveBeenCalled();
});
