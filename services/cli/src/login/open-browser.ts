import { spawn } from 'node:child_process';

/** Asks the desktop to open a page; where there is none, the person has the address on the terminal. */
export async function openBrowser(url: string, browser?: string): Promise<void> {
  const command = browser ?? (process.platform === 'darwin' ? 'open' : 'xdg-open');
  await new Promise<void>((resolve) => {
    const child = spawn(command, [url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve());
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
