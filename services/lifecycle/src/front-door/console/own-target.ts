const HOME = '/console/';
const ANY_ORIGIN = 'https://origin.invalid';
/** Going there after a sign-in would begin another one, or lead nowhere. */
const NO_PAGES = ['/console/login', '/console/callback', '/console/session', '/console/sign-in', '/console/signed-out'];

/** Where a person wanted to go, if that is a page of the console; else its first page. Never another origin. */
export function ownTarget(asked: string | null): string {
  // Browsers take a backslash for a slash, and drop tabs and line ends.
  if (asked === null || !/^\/console\/[\x21-\x5b\x5d-\x7e]*$/.test(asked)) return HOME;
  const url = URL.parse(asked, ANY_ORIGIN);
  if (url?.origin !== ANY_ORIGIN || !url.pathname.startsWith(HOME) || NO_PAGES.includes(url.pathname)) return HOME;
  return `${url.pathname}${url.search}${url.hash}`;
}
