import { execFileSync } from 'node:child_process';
import { matchesGlob } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, textOf } from './checkout.js';

const DOCS = execFileSync('git', ['ls-files', 'docs/*.md', 'README.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && !page.startsWith('docs/adr/'));
/** What writes a secret, on any page, and the file or folder that it is told, which is below the one people are in. */
const SECRETLY =
  /(?:make-secrets\.js|crate keys (?:create|issue)|crate bootstrap \w+|crate (?:\w+ )?kubeconfig) .*?(?:> |--out |--data |-O )([\w.][\w./-]*)/g;
const PAGES = ['docs/install/docker-compose.md', 'docs/install/helm.md', 'docs/install/in-cluster.md'];
/** What people are told to write into the folder they are in, which is the checkout. */
const WRITTEN = PAGES.flatMap((page) => [...textOf(page).matchAll(/(?:> |--out )([\w.-]+)$|--out ([\w.-]+) /gm)])
  .map(([, last, further]) => last ?? further ?? '')
  .filter((name) => name !== '');
const SECRET = [
  ...new Set([
    ...WRITTEN,
    ...DOCS.flatMap((page) => [...textOf(page).matchAll(SECRETLY)].map(([, name = '']) => name)),
  ]),
  ...['crate-secrets/secrets.yaml', 'backup-keys-lifecycle/1.key', 'later.dump', 'release.key'],
  ...['deploy/compose/config/tls.key', 'deploy/compose/config/issuers.yaml'],
];
const patterns = textOf('.dockerignore')
  .split('\n')
  .filter((line) => /^[^#]/.test(line));

/** As an engine reads .dockerignore: the last pattern that takes a path or a folder above it decides. */
function isKeptFromBuilds(path: string): boolean {
  const parts = path.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const takes = (pattern: string): boolean => paths.some((each) => matchesGlob(each, pattern.replace(/^!/, '')));
  return patterns.findLast(takes)?.startsWith('!') === false;
}

describe('what people write into a checkout', () => {
  it('is found on the pages', () => {
    expect(SECRET).toEqual(
      expect.arrayContaining(['admin.kubeconfig', '.env', 'crate.dump', 'crate-keys.json', 'crate-secrets']),
    );
  });

  it.each(SECRET)('%s gets neither into a build nor into Git', (path) => {
    expect(isKeptFromBuilds(path)).toBe(true);
    expect(execFileSync('git', ['check-ignore', '--no-index', path], { cwd: ROOT, encoding: 'utf8' })).toBe(
      `${path}\n`,
    );
  });

  it('leaves all that Git has in a build', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
    expect(tracked.length).toBeGreaterThan(1000);
    expect(tracked.filter(isKeptFromBuilds)).toEqual([]);
  });
});
