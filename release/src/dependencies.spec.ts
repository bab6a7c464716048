import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readAudit } from './audit.js';
import { ROOT } from './testing/root.js';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly inBundle?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const packages = Object.entries((read('package-lock.json') as { packages: Record<string, Locked> }).packages);
const foreign = packages.filter(([path, { link }]) => path.includes('node_modules/') && link !== true);
/**
 * Linters of platforms whose packages the registry did not have when they were locked: without an entry `npm ci` refuses the whole lock.
 * They are development tools, and installed on no platform that releases are made on.
 */
const isUnseenLinter = (path: string, { dev, optional }: Locked): boolean =>
  path.startsWith('node_modules/@oxlint') &&
  dev === true &&
  optional === true &&
  !/linux-(x64|arm64)(-gnu)?$/.test(path);
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe('dependencies', () => {
  it('are locked by digest', () => {
    const open = foreign.filter(
      ([path, locked]) => locked.integrity === undefined && locked.inBundle !== true && !isUnseenLinter(path, locked),
    );
    expect(open.map(([path]) => path)).toEqual([]);
    expect(foreign.length).toBeGreaterThan(500);
  });

  it('are stated by exact versions', () => {
    const folders = ['libs', 'services', 'infra'].flatMap((parent) =>
      readdirSync(join(ROOT, parent)).map((name) => `${parent}/${name}/package.json`),
    );
    const loose = ['package.json', ...folders.filter((file) => existsSync(join(ROOT, file)))].flatMap((file) => {
      const stated = read(file) as Record<string, Record<string, string> | undefined>;
      const all = { ...stated['dependencies'], ...stated['devDependencies'] };
      return Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
    });
    expect(loose).toEqual([]);
  });

  it('say whether they may run something when they are installed', () => {
    const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
    const stated = Object.keys(allowScripts);
    const running = foreign.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(running.length).toBeGreaterThan(0);
    // Without a word in `allowScripts` npm leaves the script out.
    expect(stated.filter((name) => !packages.some(([path]) => nameOf(path) === name))).toEqual([]);
  });
});

describe('what npm audit says', () => {
  const report = (vulnerabilities: object): string => JSON.stringify({ metadata: { vulnerabilities } });

  it.each([
    { name: 'nothing', output: report({ moderate: 0, high: 0, critical: 0 }), want: 'clean' },
    { name: 'what does not stop a release', output: report({ moderate: 3, high: 0, critical: 0 }), want: 'clean' },
    { name: 'a hole', output: report({ high: 1, critical: 0 }), want: 'holes' },
    { name: 'that it was not answered', output: '{"error":{"summary":"405 Method Not Allowed"}}', want: 'unknown' },
    { name: 'nothing at all', output: '', want: 'unknown' },
  ])('is $want for $name', ({ output, want }) => {
    expect(readAudit(output).outcome).toBe(want);
  });

  it('is not taken for good news when nobody could be asked', () => {
    expect(readAudit('').message).toContain('Nothing is known of holes');
  });
});
