/** A key that a service was given. */
export interface NewKey {
  readonly service: string;
  readonly keyId: string;
}

/** Keys that `crate secrets rotate` says it has made. */
export function newKeysIn(said: string): readonly NewKey[] {
  const lines = said.matchAll(/^([\w-]+): new key (\S+)$/gm);
  return [...lines].map(([, service = '', keyId = '']) => ({ service, keyId }));
}
