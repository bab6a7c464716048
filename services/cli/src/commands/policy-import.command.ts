import { Command, InvalidArgumentError, Option } from 'commander';
import type { PolicyEnforcement, PolicyLevel, PolicySeverity } from '@crate/api';
import { badRequest } from '@crate/errors';
import { importPolicies, type ImportedPolicy } from '@crate/policy-engine';
import { stringify } from 'yaml';
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

/** `crate policy import`: rules made of Kubernetes' ValidatingAdmissionPolicies. */
export function policyImportCommand(): Command {
  return new Command('import')
    .description('Print Policy documents made of ValidatingAdmissionPolicies, their bindings and their params')
    .requiredOption('-f, --filename <files...>', 'documents of Kubernetes; - is the standard input')
    .addOption(new Option('--level <level>', 'default: must').choices(['must', 'should', 'may']))
    .addOption(
      new Option('--severity <severity>', 'default: medium').choices(['critical', 'high', 'medium', 'low', 'info']),
    )
    .addOption(
      new Option('--enforcement <how>', 'default: as the binding says').choices(['enforce', 'warn', 'dry-run']),
    )
    .option('--remedy <text>', 'what to do when a rule is broken')
    .option(
      '--kind <plural.group=Kind>',
      'kind of a resource that is not one of Kubernetes; may be repeated',
      toKinds,
      {},
    )
    .option(
      '--ignore <feature>',
      'leave out what is not supported, such as namespaceSelector; may be repeated',
      collect,
      [],
    )
    .action(async ({ filename, kind, ...options }: ImportCommandOptions) => {
      const files = await Promise.all(filename.map(readYamlFile));
      const documents = files.flatMap((file) => file.documents);
      const { policies, notes } = importPolicies(documents, { ...options, kinds: kind });
      if (policies.length === 0) throw badRequest(`There is no ValidatingAdmissionPolicy in ${filename.join(', ')}`);
      process.stdout.write(policies.map(textOf).join('---\n'));
      for (const note of notes) console.error(`note: ${note}`);
    });
}

function textOf({ name, spec }: ImportedPolicy): string {
  const document = { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata: { name }, spec };
  return stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });
}

function toKinds(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, resource, kind] = /^([a-z0-9.-]+)=([A-Za-z0-9]+)$/.exec(text) ?? [];
  if (resource === undefined || kind === undefined)
    throw new InvalidArgumentError('want plural.group=Kind, such as scaledobjects.keda.sh=ScaledObject');
  return { ...before, [resource]: kind };
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
