import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRoute } from '@tanstack/react-router';
import { act, waitFor } from '@testing-library/react';
import { apiFetch } from '../api/http.js';
import { PlayedApi } from '../testing/played-api.js';
import { renderPage } from '../testing/render-page.js';
import { queryClient } from './query-client.js';
import { SESSION_QUERY } from './session-query.js';
import { SignedIn } from './SignedIn.js';

const api = new PlayedApi();

describe('the frame around every page', () => {
  beforeEach(() => api.install());
  afterEach(() => {
    api.remove();
    queryClient.clear();
  });

  it('forgets what one person read once they are signed out: the next may see less', async () => {
    api.refuse('/fleet', 401, { reason: 'Unauthorized', message: 'The session is over' });
    const signIn = (): string => 'Who are you?';
    const { findByText, container } = renderPage(
      (parent) => [
        createRoute({ getParentRoute: parent, path: '/', component: SignedIn }),
        createRoute({ getParentRoute: parent, path: '/sign-in', component: signIn }),
      ],
      '/',
    );
    await waitFor(() => expect(container).not.toBeEmptyDOMElement());
    queryClient.setQueryData(['audit'], ['what ada may read']);
    await act(async () => expect(apiFetch('/fleet')).rejects.toMatchObject({ status: 401 }));
    expect(await findByText('Who are you?')).toBeVisible();
    expect(queryClient.getQueryData(['audit'])).toBeUndefined();
    expect(queryClient.getQueryData(SESSION_QUERY)).toBeNull();
  });
});
