import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import { apiJson } from '../api/http.js';
import { PlayedApi } from '../testing/played-api.js';
import { axeFindings } from '../testing/axe.js';
import { ConnectionBanner } from './ConnectionBanner.js';

const api = new PlayedApi();
beforeEach(() => {
  api.install();
  api.json('/livez', 'ok');
});
afterEach(() => {
  api.remove();
  jest.restoreAllMocks();
});

async function shown(): Promise<HTMLElement> {
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <ConnectionBanner />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(api.calls).toHaveLength(1));
  return container;
}

describe('ConnectionBanner', () => {
  it('is silent while the platform answers, whatever it refuses', async () => {
    const container = await shown();
    await expect(apiJson('/nothing')).rejects.toThrow();
    expect(container).toHaveTextContent(/^$/);
    expect(api.calls.map(({ call }) => call)).toEqual(['GET /livez', 'GET /nothing']);
  });

  it('says so as soon as one request of the page has no answer', async () => {
    const container = await shown();
    api.fail('/livez');
    api.fail('/nothing');
    await expect(apiJson('/nothing')).rejects.toThrow();
    expect(await screen.findByText(/The platform cannot be reached/)).toBeInTheDocument();
    // It looked for itself at once; from now on it looks again every few seconds.
    expect(api.calls.slice(0, 3).map(({ call }) => call)).toEqual(['GET /livez', 'GET /nothing', 'GET /livez']);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('says so where the network falls silent: nobody says that there will be no answer', async () => {
    const limit = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    globalThis.fetch = (_input, { signal } = {}) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    render(
      <QueryClientProvider client={new QueryClient()}>
        <ConnectionBanner />
      </QueryClientProvider>,
    );
    await waitFor(() => expect(timeout).toHaveBeenCalled());
    expect(timeout.mock.calls[0]?.[0]).toBeLessThanOrEqual(10_000);
    act(() => limit.abort(new DOMException('signal timed out', 'TimeoutError')));
    expect(await screen.findByText(/The platform cannot be reached/)).toBeInTheDocument();
  });
});
