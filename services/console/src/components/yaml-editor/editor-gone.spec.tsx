import { expect, it, jest } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { BROWSER } from '../../app/reload.js';
import { PlayedApi } from '../../testing/played-api.js';

jest.unstable_mockModule('./LoadedYamlEditor.js', () => {
  throw new Error('Failed to fetch dynamically imported module: https://crate.example/console/assets/editor.js');
});

it('an editor whose code is gone leaves loading the page anew to the person: secrets typed next to it would go', async () => {
  const api = new PlayedApi();
  api.install();
  api.json('/livez', 'ok');
  const reload = jest.spyOn(BROWSER, 'reload').mockReturnValue();
  const { YamlEditor } = await import('./YamlEditor.js');
  render(
    <QueryClientProvider client={new QueryClient()}>
      <YamlEditor value="a: 1" ariaLabel="Y" />
    </QueryClientProvider>,
  );
  expect(await screen.findByText(/Another version of the console may be there/)).toBeVisible();
  expect(reload).not.toHaveBeenCalled();
  api.remove();
});
