import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ConformanceBench } from '../bench.js';
import { aCluster } from '../documents.js';
import type { Client, Row } from '../row.js';

const SCRIPT = fileURLToPath(new URL('../python/capabilities.py', import.meta.url));
const PROJECT = 'python';
/** Debian's package belongs to Debian's Python, which need not be the first in PATH. */
const INTERPRETERS = ['/usr/bin/python3', 'python3'];
const TIMEOUT_MS = 120_000;

interface Told {
  readonly capability: string;
  readonly error: string | null;
}

const run = promisify(execFile);

/** Python's `kubernetes` client. The script runs once and tells of each capability. */
export function pythonClient(bench: ConformanceBench): Client {
  const python = INTERPRETERS.find(hasKubernetes);
  const told = new Map<string, Told>();
  const tell = async (...more: readonly string[]): Promise<void> => {
    const args = [SCRIPT, bench.platform.kubeconfigFile, PROJECT, ...more];
    const { stdout } = await run(python ?? '', args, { timeout: TIMEOUT_MS });
    for (const line of stdout.split('\n').filter((text) => text !== '')) {
      const each = JSON.parse(line) as Told;
      told.set(each.capability, each);
    }
  };
  const rows = capabilities().map(({ capability, isAlone }): Row => {
    const how = async (): Promise<void> => {
      if (isAlone) await tell(await compacted(bench));
      await assertTold(told.get(capability));
    };
    return { capability, isAlone, run: how };
  });
  return {
    family: 'Python kubernetes',
    version: 'works',
    rows,
    prepare: async () => {
      await bench.project(PROJECT);
      await tell();
    },
    ...(python === undefined ? { absent: 'no Python with the package kubernetes (Debian: python3-kubernetes)' } : {}),
  };
}

function hasKubernetes(python: string): boolean {
  try {
    execFileSync(python, ['-c', 'import kubernetes.dynamic'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A revision of Clusters that the platform has forgotten. */
async function compacted(bench: ConformanceBench): Promise<string> {
  const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${PROJECT}/clusters`;
  const { body } = await bench.admin.get(path);
  await bench.admin.post(path, aCluster('compacted'));
  await bench.compactLog('lifecycle');
  return body.metadata.resourceVersion;
}

/** What the script tries, in its order. */
function capabilities(): readonly { readonly capability: string; readonly isAlone: boolean }[] {
  const script = readFileSync(SCRIPT, 'utf8');
  return [...script.matchAll(/^@capability\("(.+?)"(, alone=True)?\)$/gm)].map(([, capability = '', alone]) => ({
    capability,
    isAlone: alone !== undefined,
  }));
}

function assertTold(told: Told | undefined): Promise<void> {
  if (!told) return Promise.reject(new Error('The script ended before it came to this'));
  return told.error === null ? Promise.resolve() : Promise.reject(new Error(told.error));
}
