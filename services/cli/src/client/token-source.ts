/** A token, and until when it is good. */
export interface IssuedToken {
  readonly token: string;
  /** Milliseconds since the epoch; absent: nobody said. */
  readonly expiresAt?: number | undefined;
}

/** Gives a token, another one where `refused` is no longer taken and there is another. Throws Unauthenticated. */
export type TokenSource = (refused?: string) => Promise<string>;

/**
 * Keeps a token until it ends or is refused, and asks for the next then. Tokens of people are good for minutes, and what
 * waits for a cluster goes on for an hour.
 */
export function keptToken(first: IssuedToken, ask: () => Promise<IssuedToken>, now = Date.now): TokenSource {
  let known = first;
  let asking: Promise<IssuedToken> | undefined;
  return async (refused) => {
    const { token, expiresAt = Infinity } = known;
    if (token !== refused && now() < expiresAt) return token;
    // Many requests that are refused at once ask once.
    asking ??= ask().finally(() => (asking = undefined));
    known = await asking;
    return known.token;
  };
}
