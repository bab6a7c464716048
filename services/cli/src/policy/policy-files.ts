import { dirname, resolve } from 'node:path';
import { POLICY, type Policy, type PolicySpec } from '@crate/api';
import { badRequest } from '@crate/errors';
import { parsePack, parsePolicySpec, type PackedPolicy } from '@crate/policy-engine';
import { parsePolicyTest, type PolicyTestFile } from './policy-test-file.js';
import { mappingOf, readYamlFile, yamlFilesIn, type YamlFile } from './yaml-files.js';

/** A rule and where it stands. */
export interface LoadedPolicy {
  readonly path: string;
  readonly name: string;
  readonly spec: PolicySpec;
  /** Of rules of packs. */
  readonly examples?: PackedPolicy['examples'];
}

export interface LoadedTests {
  readonly path: string;
  readonly file: PolicyTestFile;
}

/** What files say of rules. */
export interface PolicyFiles {
  readonly policies: readonly LoadedPolicy[];
  readonly tests: readonly LoadedTests[];
}

/**
 * Reads packs, Policy documents and tests, and the rules that tests name. A directory may have other files; a file that is
 * named must be one of these. Throws BadRequest for what is malformed and for a name that stands twice.
 */
export async function readPolicyFiles(paths: readonly string[]): Promise<PolicyFiles> {
  const reader = new PolicyFileReader();
  for (const path of paths) {
    for (const file of await yamlFilesIn(path)) await reader.read(file, file === path);
  }
  return reader.files();
}

class PolicyFileReader {
  private readonly policies = new Map<string, LoadedPolicy>();
  private readonly tests: LoadedTests[] = [];
  private readonly done = new Set<string>();

  files(): PolicyFiles {
    return { policies: [...this.policies.values()], tests: this.tests };
  }

  async read(path: string, isNamed: boolean): Promise<void> {
    if (this.done.has(resolve(path))) return;
    this.done.add(resolve(path));
    const file = await readYamlFile(path).catch((error: unknown) => {
      if (isNamed) throw error;
      return undefined; // Templates of other tools look like YAML.
    });
    const before = this.policies.size + this.tests.length;
    for (const document of file?.documents ?? []) await this.readDocument(document, file as YamlFile);
    if (!isNamed || this.policies.size + this.tests.length > before) return;
    throw badRequest(`${path} has neither a pack, nor Policy documents, nor tests`);
  }

  private async readDocument(value: unknown, file: YamlFile): Promise<void> {
    const document = mappingOf(value);
    if (!document) return;
    if ('pack' in document && 'policies' in document) return this.readPack(file);
    if (isPolicy(document)) return this.readPolicy(document, file);
    if (document['kind'] === 'PolicyTest' || (!('kind' in document) && Array.isArray(document['tests'])))
      return this.readTests(document, file);
    if (!Array.isArray(document['items'])) return;
    for (const item of document['items']) await this.readDocument(item, file);
  }

  private readPack({ path, text }: YamlFile): void {
    for (const { name, spec, examples } of parsePack(path, text).policies) this.add({ path, name, spec, examples });
  }

  private readPolicy({ metadata, spec }: Readonly<Record<string, unknown>>, { path }: YamlFile): void {
    const name = mappingOf(metadata)?.['name'];
    if (typeof name !== 'string' || name === '') throw badRequest(`A Policy of ${path} has no metadata.name`);
    this.add({ path, name, spec: parsePolicySpec(spec, `Policy "${name}" of ${path}`) });
  }

  private async readTests(document: unknown, { path }: YamlFile): Promise<void> {
    const file = parsePolicyTest(document, path);
    this.tests.push({ path, file });
    for (const named of file.policies) {
      for (const found of await yamlFilesIn(resolve(dirname(path), named))) await this.read(found, true);
    }
  }

  private add(policy: LoadedPolicy): void {
    const known = this.policies.get(policy.name);
    if (known) throw badRequest(`Policy "${policy.name}" stands twice: in ${known.path} and in ${policy.path}`);
    this.policies.set(policy.name, policy);
  }
}

function isPolicy({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  return kind === POLICY.kind && String(apiVersion).startsWith(`${POLICY.group}/`);
}

/** A rule as it would be stored. */
export function asPolicy({ name, spec }: Pick<LoadedPolicy, 'name' | 'spec'>): Policy {
  const metadata = { name, uid: name, resourceVersion: '0', generation: 1, creationTimestamp: '1970-01-01T00:00:00Z' };
  return { apiVersion: `${POLICY.group}/${POLICY.version}`, kind: POLICY.kind, metadata, spec };
}
