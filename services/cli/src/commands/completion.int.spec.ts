import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { setWayIn } from '../kubeconfig/way-in.js';
import { FakeApi } from '../testing/fake-api.js';
import { CLUSTERS, clusterObject, discoveryAnswer } from '../testing/served.js';

const run = promisify(execFile);
const BIN = fileURLToPath(new URL('../../bin', import.meta.url));
const PROGRAMS = ['crate', 'kubectl-crate', 'kubectl_complete-crate'];
const PATIENT = { timeoutMs: 120_000 };

let api: FakeApi;
let bin: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  api = await FakeApi.start((_method, path) => {
    if (path.startsWith(`${CLUSTERS}?`))
      return { body: { metadata: {}, items: [clusterObject('demo'), clusterObject('dev')] } };
    return discoveryAnswer(path);
  });
  bin = await mkdtemp(join(tmpdir(), 'crate-bin-'));
  for (const name of PROGRAMS) await symlink(join(BIN, `${name}.mjs`), join(bin, name));
  await writeFile(join(bin, 'file.yaml'), '');
  const path = [bin, dirname(process.execPath), process.env['PATH']].join(':');
  env = { ...process.env, PATH: path, KUBECONFIG: join(api.dataDir, 'admin.kubeconfig') };
});
afterAll(async () => {
  await api.stop();
  await rm(bin, { recursive: true, force: true });
});

/** What bash would offer at the end of a line, by the script that it loads. */
async function inBash(line: string): Promise<readonly string[]> {
  const script = `source <(crate completion bash) && COMP_LINE=$1 && COMP_POINT=\${#COMP_LINE} && _crate && printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', script, 'bash', line], { env, cwd: bin });
  return stdout.split('\n').filter((each) => each !== '');
}

describe('completion in bash', () => {
  it.each([
    { line: 'crate clus', want: ['clusters'] },
    { line: 'crate get clust', want: ['clusters'] },
    { line: 'crate get clusters -n team-a ', want: ['demo', 'dev'] },
    { line: 'crate get -n team-a cluster/de', want: ['cluster/demo', 'cluster/dev'] },
    // Bash has split the word at the sign already.
    { line: 'crate get clusters --output=ya', want: ['yaml'] },
    { line: 'crate apply -f fi', want: ['file.yaml'] },
    { line: 'crate get clusters --kubeconfig /nowhere -n x ', want: [] },
  ])('of "$line"', async ({ line, want }) => {
    // Names that do not come within a moment are not offered.
    await eventually(async () => expect(await inBash(line)).toEqual(want), PATIENT);
  });
});

describe('completion while nobody gives a token', () => {
  it('keeps the person waiting for no longer than a moment', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sleep', args: ['120'] };
    const kubeconfig = join(bin, 'slow');
    await KubeconfigFile.update(kubeconfig, (file) => {
      setWayIn(file, 'slow', { cluster: { server: 'https://127.0.0.1:1' }, user: { exec } });
      file.currentContext = 'slow';
    });
    const from = performance.now();
    const { stdout } = await run('crate', ['__complete', '--', 'get', 'clusters', ''], {
      env: { ...env, KUBECONFIG: kubeconfig },
    });
    expect(stdout).toBe(':4\n');
    expect(performance.now() - from).toBeLessThan(60_000);
  });
});

describe('the plugin of kubectl', () => {
  it('works as crate does, by its own name', async () => {
    const { stdout } = await run('kubectl-crate', ['get', 'cluster', '-n', 'team-a', '-o', 'name'], { env });
    expect(stdout).toBe('cluster.lifecycle.crate.dev/demo\ncluster.lifecycle.crate.dev/dev\n');
    expect((await run('kubectl-crate', ['--help'], { env })).stdout).toMatch(/^Usage: kubectl crate /);
  });

  it('tells kubectl how to complete it', async () => {
    await eventually(async () => {
      const { stdout } = await run('kubectl_complete-crate', ['get', 'clusters', '-n', 'team-a', 'de'], { env });
      expect(stdout).toBe('demo\ndev\n:4\n');
    }, PATIENT);
  });
});
