import { readFile, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { POLICY_REPORT } from '@crate/api';
import { FakeApi } from '../testing/fake-api.js';
import { directoryWith } from '../testing/files-of.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { policyReportCommand } from './policy-report.command.js';

const BASE = '/apis/wgpolicyk8s.io/v1alpha2';
const REPORT = { metadata: { name: 'demo', namespace: 'team-a' }, ...(POLICY_REPORT.example as object) };
const PDF = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0xfe, 0x00]);

let api: FakeApi;
let directory: Awaited<ReturnType<typeof directoryWith>>;

beforeEach(async () => {
  directory = await directoryWith({});
  api = await FakeApi.start((_method, path) => {
    switch (path) {
      case `${BASE}/policyreports`:
        return { body: { items: [REPORT] } };
      case `${BASE}/namespaces/team-a/policyreports/demo`:
        return { body: REPORT };
      case `${BASE}/namespaces/team-a/policyreports/project.team-a`:
        return { body: { ...REPORT, results: [] } };
      case `${BASE}/namespaces/team-a/policyreports/demo/export?format=pdf`:
        return { type: 'application/pdf', body: PDF };
      case `${BASE}/namespaces/team-a/policyreports/project.team-a/export?format=csv`:
        return { type: 'text/csv', body: Buffer.from('policy,result\n') };
      default:
        return undefined;
    }
  });
});

afterEach(async () => {
  await api.stop();
  await directory.remove();
});

async function run(...args: string[]): Promise<Written> {
  const named = args.map((arg) => arg.replace('DIR', directory.path));
  return outputOf(policyReportCommand(), [...named, '--data-dir', api.dataDir]);
}

describe('crate policy report', () => {
  it('shows all reports', async () => {
    const { stdout } = await run();
    expect(stdout.split('\n')[1]).toMatch(/^team-a +Cluster +demo +41 +1 +0 +0 +0$/);
  });

  it('shows what is wrong with a cluster', async () => {
    const { stdout } = await run('--project', 'team-a', '--cluster', 'demo');
    expect(stdout).toMatch(
      /fail +medium +cluster-region-allowed +Cluster\/demo +spec.region +Region me-south-1 is not offered\n/,
    );
    expect(stdout).toMatch(/team-a +Cluster +demo +41 +1/);
  });

  it('says that nothing is', async () => {
    expect((await run('--project', 'team-a')).stdout).toMatch(/^Nothing is broken\n/);
  });

  it('exports to a file byte by byte, for its reader alone', async () => {
    const { stdout } = await run('-n', 'team-a', '--cluster', 'demo', '--format', 'pdf', '-O', 'DIR/report.pdf');
    expect(stdout).toBe('');
    const file = `${directory.path}/report.pdf`;
    expect(await readFile(file)).toEqual(PDF);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('exports text to the standard output', async () => {
    expect((await run('--project', 'team-a', '--format', 'csv')).stdout).toBe('policy,result\n');
  });

  it.each([
    { args: ['--format', 'csv'], want: /Give the Project/ },
    { args: ['--cluster', 'demo'], want: /Give the Project/ },
    { args: ['--project', 'team-a', '--format', 'pdf'], want: /write it to a file with -O FILE/ },
    { args: ['--project', 'team-b', '--format', 'csv'], want: /not found/ },
  ])('refuses $args', async ({ args, want }) => {
    await expect(run(...args)).rejects.toThrow(want);
  });
});
