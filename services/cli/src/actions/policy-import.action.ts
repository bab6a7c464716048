import type { PolicyEnforcement, PolicyLevel, PolicySeverity } from '@crate/api';
import { badRequest } from '@crate/errors';
import { importPolicies, type ImportedPolicy } from '@crate/policy-engine';
import { stringify } from 'yaml';
import { YAML_OPTIONS } from '../output/print.js';
import { readYamlFile } from '../policy/yaml-files.js';

interface ImportCommandOptions {
  readonly filename: readonly string[];
  readonly level?: PolicyLevel;
  readonly severity?: PolicySeverity;
  readonly enforcement?: PolicyEnforcement;
  readonly remedy?: string;
  readonly kind: Readonly<Record<string, string>>;
  readonly ignore: readonly string[];
}

export async function runPolicyImport({ filename, kind, ...options }: ImportCommandOptions): Promise<void> {
  const files = await Promise.all(filename.map(readYamlFile));
  const documents = files.flatMap((file) => file.documents);
  const { policies, notes } = importPolicies(documents, { ...options, kinds: kind });
  if (policies.length === 0) throw badRequest(`There is no ValidatingAdmissionPolicy in ${filename.join(', ')}`);
  process.stdout.write(policies.map(textOf).join('---\n'));
  for (const note of notes) console.error(`note: ${note}`);
}

function textOf({ name, spec }: ImportedPolicy): string {
  const document = { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata: { name }, spec };
  return stringify(document, { ...YAML_OPTIONS, lineWidth: 120 });
}
