import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  accessibilityFindings,
  eventually,
  type Browser,
  type BrowserContext,
  type Page,
  type Request,
} from '@crate/testing';
import { IS_DARK_PHOTOGRAPHED } from './config.js';
import { PageGuard } from './page-guard.js';
import { AT_REST, BROKEN_WORDS, CUT_OFF, EXCESS, KNOWS_ITS_WIDTH, STILL_LOADING, TOO_WIDE } from './page-looks.js';

const SCREENSHOTS = fileURLToPath(new URL('../../../tmp/console-screenshots/', import.meta.url));
/** Pages of some thousand rows are looked at as far as this. */
const TALLEST_PX = 3_000;
/** An answer takes moments; a machine that does ten other things takes its time to draw it. */
const PATIENCE_MS = 90_000;
/** Text is read well, and a picture is made in half of the time that one without losses takes. */
const PICTURE_QUALITY = 80;
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const ENDLESS = /[?&](watch|follow)=true/;

export interface WindowSize {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

export interface VisitorOptions {
  /** Of the platform. */
  readonly origin: string;
  readonly size: WindowSize;
  /** Of the window that each look is repeated in, before it goes on in its own. */
  readonly alsoAt?: WindowSize;
  /** Where else the console may lead, such as an identity provider. */
  readonly neighbours?: readonly string[];
}

export const DESK: WindowSize = { name: 'desk', width: 1440, height: 900 };
/** The least that somebody has who works with it all day. */
export const LAPTOP: WindowSize = { name: 'laptop', width: 1280, height: 720 };
export const PHONE: WindowSize = { name: 'phone', width: 320, height: 700 };

/** Somebody in front of the console, in a browser of their own. */
export class Visitor {
  private looks = 0;
  /** Requests that end by themselves, and did not yet. */
  private readonly underWay = new Set<Request>();

  readonly guard: PageGuard;

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly options: VisitorOptions,
  ) {
    this.guard = new PageGuard(context, page, options.origin, options.neighbours);
    context.setDefaultTimeout(PATIENCE_MS);
    page.on('request', (request) => !ENDLESS.test(request.url()) && this.underWay.add(request));
    page.on('requestfinished', (request) => this.underWay.delete(request));
    page.on('requestfailed', (request) => this.underWay.delete(request));
  }

  static async open(browser: Browser, options: VisitorOptions): Promise<Visitor> {
    const { width, height } = options.size;
    // The platform's certificate is of its own authority, which no browser knows.
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      viewport: { width, height },
      colorScheme: 'light',
      reducedMotion: 'reduce',
      acceptDownloads: true,
    });
    return new Visitor(context, await context.newPage(), options);
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  /** Opens a path below `/console`, as by its address. */
  async go(path: string): Promise<void> {
    await this.page.goto(`${this.options.origin}/console${path}`, { waitUntil: 'commit' });
  }

  async signIn(token: string): Promise<void> {
    await this.page.getByLabel('Token', { exact: true }).fill(token);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** Heading of the first level, once it says so. */
  async heading(name: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name, exact: typeof name === 'string' }).waitFor();
  }

  /**
   * What is wrong with the whole page in both themes: what axe finds, what does not fit into the width of the
   * window, and titles and buttons that are cut off, and broken words; and in the light one in the other window, if there is one. There is
   * a picture of each page, and of the dark theme where something is wrong, or `CONSOLE_PICTURES` is set.
   */
  async findings(step: string): Promise<readonly string[]> {
    const { size, alsoAt } = this.options;
    this.looks += 1;
    const findings = await this.look(step, size, THEMES);
    if (alsoAt === undefined) return findings;
    await this.resize(alsoAt);
    const others = await this.look(step, alsoAt, ['light']);
    await this.resize(size);
    await this.atRest();
    return [...findings, ...others.map((each) => `${alsoAt.name}: ${each}`)];
  }

  private async look(step: string, size: WindowSize, themes: readonly Theme[]): Promise<readonly string[]> {
    const { page } = this;
    await this.atRest();
    const excess = await page.evaluate<number>(EXCESS);
    if (excess > 0) await this.resize({ ...size, height: Math.min(size.height + excess, TALLEST_PX) });
    const findings = await this.misfits(step);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await page.evaluate(AT_REST);
      // Only colours differ between themes.
      const against = await accessibilityFindings(page, theme === 'light' ? undefined : ['color-contrast']);
      const isShown = theme === 'light' || IS_DARK_PHOTOGRAPHED;
      if (isShown || findings.length + against.length > 0) await this.picture(`${step}-${theme}`, size);
      findings.push(...against.map((each) => `${step}, ${theme}: ${each}`));
    }
    await page.emulateMedia({ colorScheme: 'light' });
    if (excess > 0) await this.resize(size);
    return findings;
  }

  private async misfits(step: string): Promise<string[]> {
    const { page } = this;
    const found = await page.evaluate<readonly string[]>(TOO_WIDE);
    const cut = await page.evaluate<readonly string[]>(CUT_OFF);
    const broken = await page.evaluate<readonly string[]>(BROKEN_WORDS);
    return [
      ...found.map((each) => `${step} is too wide: ${each}`),
      ...cut.map((each) => `${step} cuts off: ${each}`),
      ...broken.map((each) => `${step} breaks a word: ${each}`),
    ];
  }

  private async resize({ width, height }: WindowSize): Promise<void> {
    await this.page.setViewportSize({ width, height });
    await eventually(() => this.page.evaluate<boolean>(KNOWS_ITS_WIDTH), { timeoutMs: PATIENCE_MS });
  }

  /** Once everything is loaded that the page asked for. */
  async loaded(): Promise<void> {
    const isLoaded = async (): Promise<boolean> =>
      this.underWay.size === 0 && (await this.page.evaluate<number>(STILL_LOADING)) === 0;
    await eventually(isLoaded, { timeoutMs: PATIENCE_MS });
  }

  private async atRest(): Promise<void> {
    await this.loaded();
    await this.page.evaluate(AT_REST);
  }

  /** Of the window as it is now; never throws. */
  async picture(name: string, { name: window } = this.options.size): Promise<void> {
    const number = String(this.looks).padStart(2, '0');
    const path = join(SCREENSHOTS, window, `${number}-${name.replaceAll(/\W+/g, '-')}.jpg`);
    await this.page.screenshot({ path, type: 'jpeg', quality: PICTURE_QUALITY }).catch(() => undefined);
  }
}
