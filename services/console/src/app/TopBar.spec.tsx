import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRoute } from '@tanstack/react-router';
import { screen } from '@testing-library/react';
import { user } from '../pages/cluster/testing/user.js';
import { PlayedApi } from '../testing/played-api.js';
import { renderPage } from '../testing/render-page.js';
import { TopBar } from './TopBar.js';

const api = new PlayedApi();
beforeEach(() => api.install());
afterEach(() => api.remove());

describe('the bar at the top', () => {
  it('keeps its picture when it is drawn again: nobody may answer who asks for another', async () => {
    const component = () => <TopBar onPalette={() => undefined} />;
    const { container } = renderPage((parent) => [createRoute({ getParentRoute: parent, path: '/', component })], '/');
    const theme = await screen.findByRole('button', { name: 'Switch to dark' });
    const picture = container.querySelector('img');
    expect(picture).toBeInTheDocument();
    await user.click(theme);
    expect(await screen.findByRole('button', { name: 'Switch to light' })).toBeVisible();
    expect(container.querySelector('img')).toBe(picture);
    await user.click(screen.getByRole('button', { name: 'Switch to light' }));
  });
});
