import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from './testing/root.js';
import { currentVersion, setVersion } from './version.js';

const OTHERS = [
  'deploy/helm/crate/Chart.yaml',
  'docker-compose.yml',
  'services/lifecycle/src/front-door/front-door.ts',
  'tools/api-docs.mjs',
];
const copy = mkdtempSync(join(tmpdir(), 'crate-version-'));
const read = (file: string): string => readFileSync(join(copy, file), 'utf8');
beforeAll(() => {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
  const folders = workspaces.flatMap((pattern) =>
    pattern.endsWith('/*')
      ? readdirSync(join(ROOT, pattern.slice(0, -2))).map((name) => join(pattern.slice(0, -2), name))
      : [pattern],
  );
  const packages = ['.', ...folders].map((name) => join(name, 'package.json'));
  for (const file of ['package-lock.json', ...OTHERS, ...packages.filter((name) => existsSync(join(ROOT, name)))]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
});
afterAll(() => rmSync(copy, { recursive: true }));

describe('setVersion', () => {
  it.each([
    { version: '7.8.9-rc.1', reason: 'a candidate' },
    { version: '7.8.9', reason: 'what it was a candidate for' },
  ])('sets $version, $reason, everywhere in this repository, and once', ({ version }) => {
    const before = currentVersion(copy);
    const changed = setVersion(copy, version);

    expect(changed).toEqual(
      expect.arrayContaining(['package.json', 'libs/api/package.json', 'package-lock.json', ...OTHERS]),
    );
    expect(currentVersion(copy)).toBe(version);
    const own = new RegExp(
      `"@crate/[^"]+": "${before}"|\\+crate\\.${before}'|:-${before}\\}|^(appV|v)ersion: "?${before}"?$`,
      'm',
    );
    expect(changed.filter((file) => own.test(read(file)))).toEqual([]);
    expect(setVersion(copy, version)).toEqual([]);
  });

  it('throws where a file has no version any more, and leaves all as it was', () => {
    const [before, file] = [currentVersion(copy), OTHERS[2] ?? ''];
    const text = read(file);
    writeFileSync(join(copy, file), text.replaceAll('+crate.', '+'));
    expect(() => setVersion(copy, '8.0.0')).toThrow(`${file} has no version`);
    expect(currentVersion(copy)).toBe(before);
    writeFileSync(join(copy, file), text);
  });

  it('leaves packages of others that have the same number', () => {
    const versions = (text: string): number => (text.match(/"version": "0\.1\.0"/g) ?? []).length;
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string; name?: string }>;
    };
    const foreign = Object.entries(lock.packages).filter(
      ([path, { version }]) => path.includes('node_modules/') && version === '0.1.0',
    );
    expect(versions(read('package-lock.json'))).toBe(foreign.length);
  });
});
