import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '../api/session.js';
import { forgetLiveLists } from '../api/use-live.js';
import { queryClient } from './query-client.js';
import { BROWSER } from './reload.js';

/** The way out: what is known here of the person is forgotten, once the platform has ended the session. */
export function useSignOut(): { readonly leave: () => void; readonly isStillIn: boolean } {
  const navigate = useNavigate();
  const { mutate, isError } = useMutation({
    mutationFn: signOut,
    retry: false,
    // Asked without a network, too: it fails then, and the person is told.
    networkMode: 'always',
    onSuccess: async (next) => {
      queryClient.clear();
      forgetLiveLists();
      if (next === undefined) await navigate({ to: '/sign-in' });
      else BROWSER.goTo(next);
    },
  });
  return { leave: () => mutate(), isStillIn: isError };
}
