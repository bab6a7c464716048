import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import { apiJson } from '../api/http.js';
import { PlayedApi } from '../testing/played-api.js';
import { axeFindings } from '../testing/axe.js';
import { ConnectionBanner } from './ConnectionBanner.js';

const api = new PlayedApi();
beforeEach(() => {
  api.install();
  api.json('/livez', 'ok');
});
afterEach(() => api.remove());

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
    expect(await axeFindings(container)).toEqual([]);
    // Itself it asks no more often for that.
    expect(api.calls.map(({ call }) => call)).toEqual(['GET /livez', 'GET /nothing', 'GET /livez']);
  });
});
