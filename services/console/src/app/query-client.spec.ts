import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { onlineManager, QueryObserver } from '@tanstack/react-query';
import { waitFor } from '@testing-library/react';
import { queryClient } from './query-client.js';

beforeEach(() => {
  queryClient.mount();
  onlineManager.setOnline(false);
});
afterEach(() => {
  onlineManager.setOnline(true);
  queryClient.unmount();
  queryClient.clear();
});

it('asks also where the browser says that there is no network, and again once there is one', async () => {
  let asked = 0;
  const reads = new QueryObserver(queryClient, { queryKey: ['reads'], queryFn: () => (asked += 1), staleTime: 0 });
  const stop = reads.subscribe(() => undefined);
  // The platform may be on this very machine.
  await waitFor(() => expect(reads.getCurrentResult()).toMatchObject({ data: 1, fetchStatus: 'idle' }));
  onlineManager.setOnline(true);
  await waitFor(() => expect(reads.getCurrentResult().data).toBe(2));
  stop();
});
