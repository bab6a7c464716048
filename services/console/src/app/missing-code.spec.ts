import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

const START: string = '../../public/start.js';
const SCRIPT = '<script type="module" src="/console/assets/index-AAAA.js"></script>';
const STYLES = '<link rel="stylesheet" href="/console/assets/index-BBBB.css">';
const SOON_MS = 1000;

let reload: jest.SpiedFunction<History['go']>;
let answer: () => Promise<Response>;
let listen: jest.SpiedFunction<typeof addEventListener>;

const fetchBefore = globalThis.fetch;

/** Opens the page in a browser that lacks some of its code. */
async function open(...lacking: readonly string[]): Promise<void> {
  leave();
  document.body.innerHTML = '<div id="root"></div>';
  jest.resetModules();
  await import(START);
  for (const html of lacking) lack(html);
}

function lack(html: string): void {
  document.head.innerHTML = html;
  document.head.firstElementChild?.dispatchEvent(new Event('error'));
}

function draw(): void {
  document.getElementById('root')!.innerHTML = '<main>Fleet</main>';
}

/** What was scheduled and listened for goes with the page. */
function leave(): void {
  for (const [type, listener, options] of listen.mock.calls.splice(0)) removeEventListener(type, listener, options);
  jest.clearAllTimers();
}

async function isReloadedIn(ms: number): Promise<boolean> {
  reload.mockClear();
  await jest.advanceTimersByTimeAsync(ms);
  return reload.mock.calls.length > 0;
}

describe('a page whose code cannot be had', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    reload = jest.spyOn(History.prototype, 'go').mockReturnValue(undefined);
    answer = () => Promise.resolve({ ok: true } as Response);
    globalThis.fetch = () => answer();
    listen = jest.spyOn(globalThis, 'addEventListener');
    sessionStorage.clear();
    history.replaceState(null, '', '/console/sign-in');
  });
  afterEach(() => {
    leave();
    jest.useRealTimers();
    globalThis.fetch = fetchBefore;
    jest.restoreAllMocks();
    document.head.innerHTML = '';
    document.body.innerHTML = '';
  });

  it.each([
    { name: 'its script', lacking: [SCRIPT] },
    { name: 'its styles', lacking: [STYLES] },
    { name: 'both', lacking: [STYLES, SCRIPT] },
  ])('says so and is loaded anew: $name', async ({ lacking }) => {
    await open(...lacking);
    expect(document.body).toHaveTextContent('another version is being installed');
    expect(await isReloadedIn(SOON_MS)).toBe(true);
    expect(reload.mock.calls).toEqual([[0]]);
  });

  it('is loaded anew less often after some tries, and at once again after one that was drawn', async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      await open(SCRIPT);
      expect(await isReloadedIn(SOON_MS)).toBe(true);
    }
    await open(SCRIPT);
    expect(await isReloadedIn(SOON_MS)).toBe(false);
    expect(await isReloadedIn(20 * SOON_MS)).toBe(true);

    await open();
    draw();
    globalThis.dispatchEvent(new Event('load'));
    await open(SCRIPT);
    expect(await isReloadedIn(SOON_MS)).toBe(true);
  });

  it('is loaded anew where it was drawn before its styles were missed', async () => {
    await open();
    draw();
    lack(STYLES);
    expect(await isReloadedIn(SOON_MS)).toBe(true);
    expect(document.body).toHaveTextContent(/^Fleet$/);
  });

  it.each([
    { name: 'a proxy that has no server', none: () => Promise.resolve({ ok: false } as Response) },
    { name: 'nobody', none: () => Promise.reject(new TypeError('Failed to fetch')) },
  ])('stays, and tries again, while the answer is that of $name', async ({ none }) => {
    const there = answer;
    answer = none;
    await open(SCRIPT);
    expect(await isReloadedIn(60 * SOON_MS)).toBe(false);
    expect(document.body).toHaveTextContent('another version is being installed');
    answer = there;
    expect(await isReloadedIn(20 * SOON_MS)).toBe(true);
  });

  it('stays without its styles after some tries where it is drawn, also when it is opened again', async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      await open(STYLES);
      draw();
      globalThis.dispatchEvent(new Event('load'));
      expect(await isReloadedIn(SOON_MS)).toBe(true);
    }
    for (let opened = 0; opened < 2; opened += 1) {
      await open(STYLES);
      draw();
      globalThis.dispatchEvent(new Event('load'));
      expect(await isReloadedIn(60 * SOON_MS)).toBe(false);
    }
  });

  it('says so once there is a place for it, where its styles are missed before', async () => {
    await open();
    document.body.innerHTML = '';
    lack(STYLES);
    document.body.innerHTML = '<div id="root"></div>';
    globalThis.dispatchEvent(new Event('DOMContentLoaded'));
    expect(document.body).toHaveTextContent('another version is being installed');
  });

  it.each([
    { name: 'a part of itself, which is told of in its place', html: STYLES.replace('index', 'ClusterPage') },
    { name: 'a picture', html: '<link rel="icon" href="/console/crate.svg">' },
  ])('is none that lacks $name', async ({ html }) => {
    await open(html);
    expect(await isReloadedIn(60 * SOON_MS)).toBe(false);
    expect(document.body).not.toHaveTextContent('another version');
  });
});
