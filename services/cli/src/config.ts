import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the CLI takes from its environment. */
export interface CliEnvironment {
  readonly searchPath: string;
  readonly dataDir: string;
  /** Files that `KUBECONFIG` lists, or the one in the home directory. */
  readonly kubeconfigs: readonly string[];
  /** Where credentials of people are kept. */
  readonly credentialsDir: string;
  /** Program that opens pages; absent: as the desktop does. */
  readonly browser?: string;
  /** What the person typed to get here: in a checkout npm starts the command line. */
  readonly program: 'crate' | 'npm run crate --';
}

/** The one door to the environment. `CRATE_DATA_DIR` is the default of `--data-dir`. */
export function readCliEnvironment(): CliEnvironment {
  return {
    searchPath: process.env['PATH'] ?? '',
    dataDir: process.env['CRATE_DATA_DIR'] ?? join(repositoryRoot(), '.crate'),
    kubeconfigs: kubeconfigs(),
    credentialsDir: join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'crate', 'credentials'),
    program: process.env['npm_lifecycle_event'] === undefined ? 'crate' : 'npm run crate --',
    ...(process.env['BROWSER'] ? { browser: process.env['BROWSER'] } : {}),
  };
}

/** The access key of AWS that the person works with; undefined unless both parts are set. */
export function readCloudCredentials(): { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
}

/** Everything, for a program that is started in the person's own name. */
export function readProcessEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}

/** Whether the terminal only ever goes forward, such as one inside an editor. */
export function isDumbTerminal(): boolean {
  return process.env['TERM'] === 'dumb';
}

function kubeconfigs(): readonly string[] {
  const listed = (process.env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length > 0 ? listed : [join(homedir(), '.kube', 'config')];
}

/** The checkout that this program was built in. */
export function repositoryRoot(): string {
  return fileURLToPath(new URL('../../..', import.meta.url));
}

/** Settings of proxies that are set, in capitals. */
export function readProxies(): Readonly<Record<string, string>> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
  const values = names.map((name) => [name, process.env[name] || process.env[name.toLowerCase()] || ''] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

/** Of this program. */
export function clientVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return `v${(JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version}`;
}

/** The packs that ship. */
export function shippedPacksDir(): string {
  return join(repositoryRoot(), 'services', 'policy-mgmt', 'packs');
}
