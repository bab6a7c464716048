import { Command, InvalidArgumentError, Option } from 'commander';
import { collect } from './common-options.js';
import { lazily } from './lazily.js';

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
    .action(lazily(async () => (await import('../actions/policy-import.action.js')).runPolicyImport));
}

function toKinds(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, resource, kind] = /^([a-z0-9.-]+)=([A-Za-z0-9]+)$/.exec(text) ?? [];
  if (resource === undefined || kind === undefined)
    throw new InvalidArgumentError('want plural.group=Kind, such as scaledobjects.keda.sh=ScaledObject');
  return { ...before, [resource]: kind };
}
