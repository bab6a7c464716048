import { HttpTargetCluster } from '@crate/kubernetes';
import { CratePlatform, launchChromium, type Browser, type BrowserContext, type Page } from '@crate/testing';
import { parse } from 'yaml';
import { seed } from '../api/seed.js';

const PROJECTS = 20;
/** Pages of a machine that does ten other things; how long they take is measured by the page itself. */
const PATIENCE_MS = 90_000;
const WINDOW = { width: 1440, height: 900 };

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** A platform with many clusters, and a browser that is signed in to its console. */
export class ConsoleBrowser {
  private constructor(
    private readonly platform: CratePlatform,
    private readonly browser: Browser,
    private readonly cookies: Cookies,
  ) {}

  /** Throws when this machine has no Chromium. */
  static async start(clusters: number, say: (line: string) => void): Promise<ConsoleBrowser> {
    const browser = await launchChromium();
    say('Starting a platform');
    const platform = await CratePlatform.start();
    try {
      say(`Storing ${clusters} clusters`);
      const [kubeconfig, databaseUrl] = await Promise.all([platform.kubeconfig(), platform.databaseUrl()]);
      await seed({ api: new HttpTargetCluster(kubeconfig), databaseUrl, objects: clusters, projects: PROJECTS });
      return new ConsoleBrowser(platform, browser, await signIn(browser, platform.url, tokenOf(kubeconfig)));
    } catch (error) {
      await browser.close();
      await platform.remove();
      throw error;
    }
  }

  get url(): string {
    return `${this.platform.url}/console/`;
  }

  /** A page with nothing cached; `html` is what it gets in place of the console. */
  async visit<T>(work: (page: Page) => Promise<T>, html?: string): Promise<T> {
    const context = await newContext(this.browser);
    try {
      await context.addCookies(this.cookies);
      const page = await context.newPage();
      if (html !== undefined)
        await page.route(this.url, (route) => route.fulfill({ contentType: 'text/html', body: html }));
      return await work(page);
    } finally {
      await context.close();
    }
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.platform.remove();
  }
}

async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: WINDOW });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

async function signIn(browser: Browser, url: string, token: string): Promise<Cookies> {
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.goto(`${url}/console/sign-in`);
  await page.locator('#token').fill(token);
  await page.locator('button[type=submit]').click();
  await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

function tokenOf(kubeconfig: string): string {
  const { users } = parse(kubeconfig) as { readonly users: readonly { readonly user: { readonly token: string } }[] };
  return users[0]?.user.token ?? '';
}
