import { basename, dirname, extname, join } from 'node:path';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CertificateBundle } from './certificates.js';
import { taint } from './cluster-config.js';
import { RkeError } from './rke-error.js';

const node = z.looseObject({
  address: z.string(),
  role: z.array(z.string()),
  labels: z.record(z.string(), z.string()).nullish(),
  taints: z.array(taint).nullish(),
});

const state = z.looseObject({
  rkeConfig: z
    .looseObject({
      nodes: z.array(node).optional(),
    })
    .optional(),
  certificatesBundle: z.record(z.string(), z.custom<CertificateBundle[string]>()).optional(),
});

const fullState = z.looseObject({ desiredState: state.prefault({}), currentState: state.prefault({}) });

/** What was asked for, and what the last run brought about. */
export type FullState = z.output<typeof fullState>;

/** Files the engine keeps beside `cluster.yml`. */
export interface EngineFiles {
  readonly state: string;
  readonly kubeConfig: string;
}

export function engineFiles(configPath: string): EngineFiles {
  const directory = dirname(configPath);
  const name = basename(configPath, extname(configPath));
  return {
    state: join(directory, `${name}.rkestate`),
    kubeConfig: join(directory, `kube_config_${basename(configPath)}`),
  };
}

/** Undefined when there is none, as before the first run. */
export async function readState(path: string): Promise<FullState | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
  try {
    return fullState.parse(JSON.parse(text));
  } catch (error) {
    throw new RkeError('failed to unmarshal the state file: the file is damaged', { cause: error });
  }
}

export async function writeState(path: string, content: FullState): Promise<void> {
  await writePrivateFile(path, `${JSON.stringify(content, undefined, 2)}\n`);
}

/** Replaces the file as a whole, so that a kill leaves the old or the new content. */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, content, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}

/** True when there was a file to remove. */
export async function removeFile(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch {
    return false;
  }
}
