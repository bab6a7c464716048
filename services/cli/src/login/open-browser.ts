import { spawn } from 'node:child_process';

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Asks the desktop to open a page; where there is none, the person has the address on the terminal. */
export async function openBrowser(url: string, browser?: string): Promise<void> {
  const [command = 'xdg-open', ...args] =
    browser === undefined ? (OPENERS[process.platform] ?? ['xdg-open']) : [browser];
  await new Promise<void>((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve());
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
