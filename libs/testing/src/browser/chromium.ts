import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** No name leads anywhere: what is looked at and measured is what this machine serves. */
const ONLY_THIS_MACHINE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost';

/**
 * Pages of the browser's own that it loads with each new window, for longer than the console takes, and on the same processors. Chromium takes
 * the last list of the kind alone, so this one holds what tests need of Playwright's as well.
 */
const WITHOUT = [
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Path of a Chromium in PATH; undefined when there is none. */
export function findChromium(searchPath = process.env['PATH'] ?? ''): string | undefined {
  const directories = searchPath.split(delimiter).filter((directory) => directory !== '');
  return NAMES.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}

/** Starts it without a window; whoever asked closes it. Throws when there is none. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(`No Chromium in PATH; looked for ${NAMES.join(', ')}`);
  // Loaded only here: most tests need no browser.
  const { chromium } = await import('playwright-core');
  // Its sandbox does not work for root, which tests in containers are.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({
    executablePath,
    args: [...sandbox, ONLY_THIS_MACHINE, `--disable-features=${WITHOUT.join(',')}`],
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
