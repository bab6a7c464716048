import type { Browser } from '@crate/testing';
import { DESK, Visitor } from './visitor.js';

/** What somebody transfers who is signed in and opens the console with nothing cached, in bytes on the wire. */
export async function firstLoadBytes(browser: Browser, signedIn: Visitor): Promise<{ scripts: number; all: number }> {
  const { origin } = new URL(signedIn.page.url());
  const visitor = await Visitor.open(browser, { origin, size: DESK });
  try {
    await visitor.context.addCookies(await signedIn.context.cookies());
    const sizes: Promise<{ isScript: boolean; bytes: number }>[] = [];
    visitor.page.on('requestfinished', (request) => {
      const isScript = request.resourceType() === 'script';
      sizes.push(request.sizes().then(({ responseBodySize }) => ({ isScript, bytes: responseBodySize })));
    });
    await visitor.go('/');
    await visitor.heading('Fleet');
    await visitor.loaded();
    const transferred = await Promise.all(sizes);
    const sum = (of: typeof transferred): number => of.reduce((total, { bytes }) => total + bytes, 0);
    return { scripts: sum(transferred.filter(({ isScript }) => isScript)), all: sum(transferred) };
  } finally {
    await visitor.close();
  }
}
