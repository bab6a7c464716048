import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { AlertRule, Rule, RuleFile } from '../slo/slo-rules.js';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Paths of all files with rules for Prometheus. */
export async function ruleFiles(): Promise<readonly string[]> {
  return (await Promise.all(['alerts', 'rules'].map(yamlIn))).flat();
}

/** Paths of the unit tests of rules. */
export async function ruleTestFiles(): Promise<readonly string[]> {
  return yamlIn('tests');
}

/** Everything that is recorded and alerted on. */
export async function allRules(): Promise<readonly Rule[]> {
  const files = await Promise.all((await ruleFiles()).map(readYaml<RuleFile>));
  return files.flatMap(({ groups }) => groups.flatMap(({ rules }) => rules));
}

/** All alerts; one name may have several, by severity. */
export async function allAlerts(): Promise<readonly AlertRule[]> {
  return (await allRules()).filter((rule) => 'alert' in rule);
}

export async function readYaml<T>(path: string): Promise<T> {
  return parse(await readFile(path, 'utf8')) as T;
}

async function yamlIn(folder: string): Promise<readonly string[]> {
  const directory = join(ROOT, 'deploy', 'prometheus', folder);
  return (await readdir(directory)).filter((name) => name.endsWith('.yaml')).map((name) => join(directory, name));
}
