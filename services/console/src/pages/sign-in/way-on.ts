const FIRST_PAGE = '/';

/** Where a person wanted to go, as a path of the console without its `/console`; never another origin, nor the sign-in itself. */
export function wayOn(to: unknown): string {
  if (typeof to !== 'string') return FIRST_PAGE;
  // The front door says whole paths, this page its own.
  const path = to.replace(/^\/console(?=\/)/, '');
  return /^\/(?![/\\]|sign-in(?:[/?#]|$))[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : FIRST_PAGE;
}

/** The code that `crate console` opened this page with. */
export function codeOf(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get('code') ?? undefined;
}
