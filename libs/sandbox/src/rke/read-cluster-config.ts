import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { clusterConfig, type ClusterConfig } from './cluster-config.js';
import { RkeError } from './rke-error.js';
import { findConfigError } from './validate-cluster-config.js';

/** Reads, defaults and checks `cluster.yml`; throws RkeError in the engine's words. */
export async function readClusterConfig(path: string): Promise<ClusterConfig> {
  const config = parseClusterConfig(await readText(path));
  const error = findConfigError(config);
  if (error !== undefined) throw new RkeError(`Failed to validate cluster: ${error}`);
  return config;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const message = `Failed to resolve cluster file: can not find cluster configuration file: open ${path}: no such file or directory`;
    throw new RkeError(message, { cause: error });
  }
}

/** Throws RkeError when `text` is not a configuration. */
export function parseClusterConfig(text: string): ClusterConfig {
  let document: unknown;
  try {
    document = parse(text) ?? {};
  } catch (error) {
    throw new RkeError(`Failed to parse cluster file: yaml: ${firstLine(error)}`, { cause: error });
  }
  const result = clusterConfig.safeParse(document);
  if (!result.success) {
    const issues = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new RkeError(`Failed to parse cluster file: yaml: unmarshal errors: ${issues.join('; ')}`);
  }
  const nodes = result.data.nodes.map((node) => ({
    ...node,
    hostname_override: node.hostname_override || node.address,
    internal_address: node.internal_address || node.address,
  }));
  return { ...result.data, nodes };
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
