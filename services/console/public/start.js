'use strict';
// Before anything is drawn, so that a dark page never flashes white.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const draw = () => {
    const chosen = localStorage.getItem('crate-theme');
    const isDark = chosen ? chosen === 'dark' : system.matches;
    document.documentElement.classList.toggle('pf-v6-theme-dark', isDark);
  };
  draw();
  // Many systems turn dark in the evening; a page that is open does so, too, while nobody chose otherwise.
  system.addEventListener('change', draw);
})();
// What the page asks first is asked while its code is still on the way; src/api/early-answers.ts takes the answers.
(() => {
  const early = new Map();
  globalThis.crateEarlyAnswers = early;
  const ask = (path) => {
    const abort = new AbortController();
    const headers = { Accept: 'application/json', 'X-Crate-Console': '1' };
    const options = { credentials: 'same-origin', cache: 'no-store', headers, signal: abort.signal };
    const response = fetch(path, options);
    // Whoever takes it learns of a failure; nobody has to.
    response.catch(() => undefined);
    early.set(path, { response, abort });
    return response;
  };
  const { pathname, search } = location;
  if (pathname === '/console/sign-in') return;
  const session = ask('/console/session');
  // A page that asks for nobody, as one that is nowhere, would leave its request open: an answer is over once it is read.
  session.then((answer) => answer.clone().text()).catch(() => undefined);
  if (pathname !== '/console/' || search !== '') return;
  const fleet = '/fleet/clusters?sort=-attention&offset=0&limit=100&watch=true';
  // Before anybody else learns of the session, so that nobody asks the same meanwhile; and only when somebody is signed in.
  session.then(({ ok }) => ok && ask(fleet)).catch(() => undefined);
})();
// While two versions run, a server of the other one may be asked for the code that this page names. Nothing of ours runs then but this.
(() => {
  const KEY = 'crate-start-tries';
  // What index.html itself names. A part that is not there is told of where it would be drawn.
  const CODE = 'script[src^="/console/assets/index-"], link[rel=stylesheet][href^="/console/assets/index-"]';
  const TEXT = 'The console cannot be loaded now, as while another version is being installed. It is tried again.';
  let tries = Number(sessionStorage.getItem(KEY) ?? 0);
  let isMissing = false;
  const root = () => document.getElementById('root');
  const isDrawn = () => Boolean(root()?.firstElementChild);
  const say = () => isDrawn() || root()?.append(TEXT);
  const tryAgain = () => {
    const isQuick = tries < 5;
    tries += 1;
    sessionStorage.setItem(KEY, String(tries));
    setTimeout(() => load(isQuick), isQuick ? 1_000 : 15_000);
  };
  const load = async (isQuick) => {
    // It works without its styles, where something refuses them for good: what somebody typed would be lost again and again.
    if (!isQuick && isDrawn()) return;
    // On what a proxy or the browser shows in its place nothing of ours would try again.
    const isThere = await fetch(location.href, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    );
    // The page as it is loaded anew, from whichever server has it then.
    if (isThere) history.go(0);
    else tryAgain();
  };
  const onError = ({ target }) => {
    if (isMissing || !(target instanceof Element) || !target.matches(CODE)) return;
    isMissing = true;
    if (root()) say();
    else addEventListener('DOMContentLoaded', say);
    tryAgain();
  };
  // On the way down: such errors do not come up to the window.
  addEventListener('error', onError, true);
  addEventListener('load', () => isMissing || sessionStorage.removeItem(KEY));
})();
