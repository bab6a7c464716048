import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ROOT } from './checkout.js';

const directory = mkdtempSync(join(tmpdir(), 'crate-programs-'));
afterAll(() => rmSync(directory, { recursive: true }));

function assemble(service: string, ...programs: readonly string[]): string {
  return assembleWith(service, ...programs.flatMap((name) => ['--program', `${name}=${join(directory, 'nothing')}`]));
}

function assembleWith(service: string, ...given: readonly string[]): string {
  const args = ['--service', service, '--out', join(directory, service)];
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'tools/assemble.mjs'), ...args, '--no-base', ...given],
    {
      encoding: 'utf8',
      cwd: ROOT,
    },
  );
  return `${status} ${stderr}`;
}

describe('--program of npm run assemble', () => {
  it.each([
    { service: 'cloud-mgmt', name: 'terrafrom', says: 'cloud-mgmt takes terraform' },
    { service: 'cloud-mgmt', name: 'rke', says: 'cloud-mgmt takes terraform' },
    { service: 'lifecycle', name: 'terraform', says: 'lifecycle takes no program' },
    { service: 'bundle', name: 'tofu', says: 'bundle takes terraform, rke, helm, nats-server' },
    { service: 'all', name: 'helm', says: 'takes terraform, rke' },
  ])('$name is refused for $service, which would go without it', ({ service, name, says }) => {
    const said = assemble(service, name);
    expect(said).toMatch(/^1 --program /);
    expect(said).toContain(`${name}: `);
    expect(said).toContain(says);
  });

  it.each([
    { service: 'bundle', names: ['terraform', 'rke', 'helm', 'nats-server'] },
    { service: 'all', names: ['terraform', 'rke'] },
  ])('$names are taken for $service', ({ service, names }) => {
    // What is asked for its version is not there: names were let through.
    expect(assemble(service, ...names)).toContain('ENOENT');
  });
});

describe('--providers of npm run assemble', () => {
  it.each([
    { service: 'lifecycle', says: 'lifecycle takes no mirror of providers' },
    { service: 'bundle', says: 'bundle takes no mirror of providers' },
  ])('is refused for $service before anything is laid', ({ service, says }) => {
    const kept = join(directory, service, 'kept');
    mkdirSync(join(directory, service), { recursive: true });
    writeFileSync(kept, '');
    expect(assembleWith(service, '--providers', directory)).toBe(`1 --providers: ${says}\n`);
    expect(existsSync(kept)).toBe(true);
  });
});

describe('npm run assemble', () => {
  it('tells why an image cannot be made, in one line, also where several are made at once', () => {
    writeFileSync(join(directory, 'all'), 'no folder');
    expect(assemble('all')).toMatch(/^1 ENOTDIR.*\n$/);
  });
});
