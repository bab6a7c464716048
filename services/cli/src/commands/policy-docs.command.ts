import { Command } from 'commander';
import { lazily } from './lazily.js';

/** `crate policy docs`: a reference of packs, rule by rule. */
export function policyDocsCommand(): Command {
  return new Command('docs')
    .description('Print a reference of packs, rule by rule, as Markdown')
    .option('--packs <dir>', 'directory of packs; default: those that ship')
    .option('-O, --out <file>', 'write to a file')
    .action(lazily(async () => (await import('../actions/policy-docs.action.js')).runPolicyDocs));
}
