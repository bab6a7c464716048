import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '../api/session.js';
import { forgetLiveLists } from '../api/use-live.js';
import { queryClient } from './query-client.js';
import { BROWSER } from './reload.js';

interface SignOut {
  readonly leave: () => void;
  /** Whether the platform did not end the session, and nobody was content with that yet. */
  readonly isStillIn: boolean;
  readonly stay: () => void;
}

/** The way out: what is known here of the person is forgotten, once the platform has ended the session. */
export function useSignOut(): SignOut {
  const navigate = useNavigate();
  const { mutate, isError, reset } = useMutation({
    mutationFn: signOut,
    onSuccess: async (next) => {
      queryClient.clear();
      forgetLiveLists();
      if (next === undefined) await navigate({ to: '/sign-in' });
      else BROWSER.goTo(next);
    },
  });
  return { leave: () => mutate(), isStillIn: isError, stay: reset };
}
