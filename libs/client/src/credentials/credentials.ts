/** Who the client is. */
export interface Credentials {
  /** A bearer token that is good now; undefined: nobody. Called for every request, so it should remember. */
  token(): Promise<string | undefined>;
  /** The server refused the token. True when asking again may give another one. */
  forget?(): boolean;
}

/** The same token always. */
export function staticToken(token: string): Credentials {
  return { token: () => Promise.resolve(token) };
}
