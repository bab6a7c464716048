import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import type { ComponentType, ReactElement } from 'react';
import { user } from '../pages/cluster/testing/user.js';
import { PlayedApi } from '../testing/played-api.js';
import { partOfPage } from './PartOfPage.js';
import { BROWSER } from './reload.js';

const GONE_STYLES = new Error('Unable to preload CSS for /console/assets/trend.css');
const GONE = new Error('Failed to fetch dynamically imported module: https://crate.example/console/assets/chart.js');
const Chart = ({ of }: { readonly of: string }): ReactElement => <p>The chart of {of}</p>;
const api = new PlayedApi();
const reload = jest.spyOn(BROWSER, 'reload');
let failure: Error | undefined;
const load = (): Promise<ComponentType<{ of: string }>> => (failure ? Promise.reject(failure) : Promise.resolve(Chart));

beforeEach(() => {
  sessionStorage.clear();
  reload.mockReset().mockReturnValue();
  api.install();
  api.json('/livez', 'ok');
});
afterEach(() => api.remove());

/** A page with something typed, and a part. */
function show(options?: Parameters<typeof partOfPage>[1]): void {
  const Part = partOfPage(load, options);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <input aria-label="Typed" />
      <Part of="demo" />
    </QueryClientProvider>,
  );
}

describe('a part of a page whose code cannot be had', () => {
  it('is there once somebody tries again, and the rest of the page stays', async () => {
    failure = new Error('The chart has a fault');
    show();
    await user.type(screen.getByRole('textbox', { name: 'Typed' }), 'mine');
    const again = await screen.findByRole('button', { name: 'Try again' });
    failure = undefined;
    await user.click(again);
    expect(await screen.findByText('The chart of demo')).toBeVisible();
    expect(screen.getByRole('textbox', { name: 'Typed' })).toHaveValue('mine');
    expect(reload).not.toHaveBeenCalled();
  });

  it('is there by itself once the platform is back', async () => {
    failure = GONE;
    api.fail('/livez');
    show();
    expect(await screen.findByRole('heading', { name: 'The platform cannot be reached' })).toBeVisible();
    failure = undefined;
    api.json('/livez', 'ok');
    expect(await screen.findByText('The chart of demo')).toBeVisible();
    expect(reload).not.toHaveBeenCalled();
  });

  it.each([GONE, GONE_STYLES])('has the page loaded anew where it is gone, once: $message', async (gone) => {
    failure = gone;
    show();
    await waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
    expect(screen.queryByRole('alert')).toBeNull();
    show();
    expect(await screen.findByText(/Another version of the console may be there/)).toBeVisible();
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it('leaves loading the page anew to the person where that would lose what was typed', async () => {
    failure = GONE;
    show({ mayReload: false });
    expect(await screen.findByText(/Another version of the console may be there/)).toBeVisible();
    expect(reload).not.toHaveBeenCalled();
  });
});
