import { readFile } from 'node:fs/promises';
import { unauthenticated } from '@crate/errors';
import type { Credentials } from './credentials.js';

const FRESH_MS = 60_000;

/** A token in a file that something else renews, as in pods. */
export class TokenFile implements Credentials {
  private known: { readonly token: string; readonly readAt: number } | undefined;

  constructor(
    private readonly path: string,
    private readonly now: () => number = Date.now,
  ) {}

  async token(): Promise<string> {
    if (!this.known || this.now() - this.known.readAt > FRESH_MS) {
      this.known = { token: await this.read(), readAt: this.now() };
    }
    return this.known.token;
  }

  forget(): boolean {
    this.known = undefined;
    return true;
  }

  private async read(): Promise<string> {
    const token = (await readFile(this.path, 'utf8')).trim();
    if (token === '') throw unauthenticated();
    return token;
  }
}
