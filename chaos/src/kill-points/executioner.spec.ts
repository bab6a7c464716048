import { describe, expect, it } from '@jest/globals';
import type { ChaosPlatform } from '../platform/chaos-platform.js';
import type { Commit, ProxyHooks } from '../proxy/postgres-proxy.js';
import { Executioner } from './executioner.js';
import { parseAddress, type KillPoint } from './kill-point.js';

const COMMIT: Commit = { user: 'cloud_mgmt', label: 'INSERT terraform_runs' };
const at = (victim: string): KillPoint => parseAddress(`create/commit:cloud_mgmt:${COMMIT.label}#1/before/${victim}`);

/** A platform on which so many runs, and one service or none, are there to be killed. */
function platformWith(runs: number, isServiceThere = false): { proxy: { hooks: ProxyHooks }; platform: ChaosPlatform } {
  const proxy: { hooks: ProxyHooks } = { hooks: {} };
  const platform = { proxy, killRuns: () => runs, signal: () => Promise.resolve(isServiceThere) };
  return { proxy, platform: platform as unknown as ChaosPlatform };
}

describe('Executioner', () => {
  it.each([
    { what: 'a run', victim: 'terraform', of: platformWith(1), hasKilled: true },
    { what: 'no run, as before one has begun', victim: 'terraform', of: platformWith(0), hasKilled: false },
    { what: 'a service', victim: 'cloud-mgmt', of: platformWith(0, true), hasKilled: true },
    { what: 'a service between two lives', victim: 'cloud-mgmt', of: platformWith(3), hasKilled: false },
  ])('that comes upon $what says so', async ({ victim, of: { proxy, platform }, hasKilled }) => {
    const executioner = new Executioner(platform, at(victim));
    await executioner.arm();
    await proxy.hooks.before?.(COMMIT);
    expect(executioner.hasKilled).toBe(hasKilled);
  });
});
