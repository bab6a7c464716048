import type { PolicyReviewRequest } from '@crate/api';
import type { Caller } from '@crate/resource-client';

/**
 * Whom rules see behind a request, ready to be spread into it. A service at work on its own account is nobody, as on its passes: rules
 * about people are not about it.
 */
export function userInfoOf(caller: Caller | undefined): Pick<PolicyReviewRequest, 'userInfo'> {
  if (!caller || isServiceItself(caller)) return {};
  return { userInfo: { username: caller.user, groups: caller.groups } };
}

/** One that passes on what a person asks for has the person's name. */
function isServiceItself({ user, service }: Caller): boolean {
  return service !== undefined && user === `system:${service}`;
}
