import { request } from 'node:https';
import { stringify } from 'node:querystring';

const MOST_STEPS = 30;

interface Page {
  readonly url: URL;
  readonly status: number;
  readonly location?: string;
  readonly body: string;
}

/** A person with a browser, as far as signing in goes: follows redirects, keeps cookies, fills in forms. */
export class SignInAgent {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly ca: string,
    private readonly login: string,
  ) {}

  /**
   * Opens a page of the provider and goes on until it leads elsewhere (gives that URL) or asks nothing more (gives
   * the last page's own).
   */
  async signIn(start: string, userCode?: string): Promise<URL> {
    const { origin } = new URL(start);
    let page = await this.send('GET', new URL(start));
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const next = page.location === undefined ? undefined : new URL(page.location, page.url);
      if (next && next.origin !== origin) return next;
      if (next) page = await this.send('GET', next);
      else if (page.status >= 400) throw new Error(`${page.url.href} answered ${page.status}: ${page.body}`);
      else if (page.body.includes('method="post"')) page = await this.submit(page, userCode);
      else return page.url;
    }
    throw new Error('Signing in does not end');
  }

  private async submit(page: Page, userCode = ''): Promise<Page> {
    const form = /<form[^>]*method="post"[\s\S]*?<\/form>/.exec(page.body)?.[0] ?? '';
    const action = new URL(/action="([^"]*)"/.exec(form)?.[1] ?? '', page.url);
    const hidden = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value] as const));
    const own = form.includes('name="login"') ? { login: this.login, password: 'a-password' } : {};
    return this.send('POST', action, stringify({ user_code: userCode, ...fields, ...own }));
  }

  private async send(method: string, url: URL, body?: string): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }) };
    return new Promise((resolve, reject) => {
      const call = request(url, { method, headers, ca: this.ca, agent: false }, (response) => {
        for (const line of response.headers['set-cookie'] ?? []) this.keep(line);
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          const { location } = response.headers;
          const where = location === undefined ? {} : { location };
          resolve({ url, status: response.statusCode ?? 0, body: text, ...where });
        });
      });
      call.on('error', reject);
      call.end(body);
    });
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    this.cookies.set(name, value);
  }
}
