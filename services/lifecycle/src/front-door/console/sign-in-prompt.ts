const OFFLINE = 'offline_access';
/** What OpenID Connect says of a prompt that cannot be shown, and OAuth of one that is not known (Core, section 3.1.2.6). */
const CANNOT_ASK = ['invalid_request', 'login_required', 'interaction_required', 'account_selection_required'];

export interface SignInPrompt {
  /** Whoever was signed in at the issuer before. */
  readonly asksAnew: boolean;
  readonly scopes: readonly string[];
  /** `prompt_values_supported` of the issuer, which few say. */
  readonly supported: unknown;
}

/** What an issuer is to ask the person; empty: as it likes. One that says what it can ask is asked for nothing else. Pure. */
export function signInPrompt({ asksAnew, scopes, supported }: SignInPrompt): string {
  const whoIsThere = Array.isArray(supported)
    ? ['login', 'select_account'].filter((prompt) => supported.includes(prompt)).slice(0, 1)
    : ['login'];
  // Consent is what OpenID Connect asks of whoever wants a refresh token (Core, section 11).
  return [...(asksAnew ? whoIsThere : []), ...(scopes.includes(OFFLINE) ? ['consent'] : [])].join(' ');
}

/** Whether an issuer came back because it cannot ask who is there, and not because of the person. Pure. */
export function cannotAsk(error: string | null): boolean {
  return CANNOT_ASK.includes(error ?? '');
}
