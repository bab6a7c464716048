import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { KINDS } from '../../api/paths.js';
import '../../i18n/index.js';
import { PlayedApi } from '../../testing/played-api.js';
import { DeedButton } from './DeedButton.js';

const api = new PlayedApi();
beforeEach(() => {
  api.install();
  api.json('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { status: { allowed: true } }, { method: 'POST' });
});
afterEach(() => api.remove());

it('does nothing a second time while the first is under way', async () => {
  const act = jest.fn();
  const button = (isLoading: boolean): React.ReactElement => (
    <QueryClientProvider client={client}>
      <DeedButton needs={{ verb: 'create', kind: KINDS.plan }} isLoading={isLoading} onClick={act}>
        Plan
      </DeedButton>
    </QueryClientProvider>
  );
  const client = new QueryClient();
  const { rerender } = render(button(false));
  fireEvent.click(await screen.findByRole('button', { name: 'Plan' }));
  rerender(button(true));
  fireEvent.click(screen.getByRole('button', { name: /Plan/ }));
  expect(act).toHaveBeenCalledTimes(1);
  rerender(button(false));
  fireEvent.click(screen.getByRole('button', { name: 'Plan' }));
  expect(act).toHaveBeenCalledTimes(2);
});
