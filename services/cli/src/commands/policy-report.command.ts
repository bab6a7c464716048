import { Command, Option } from 'commander';
import { EXPORT_FORMATS } from './api-values.js';
import { withApiOptions } from './api-options.js';
import { lazily } from './lazily.js';

/** `crate policy report`: what rules say of what is there, also as evidence for auditors. */
export function policyReportCommand(): Command {
  const command = new Command('report')
    .description('Show what rules say of a Cluster or of a Project, or of all; or export it as evidence')
    .option('-n, --project <name>', 'default: an overview of all reports that you may read')
    .option('--cluster <name>', 'Cluster of the Project; default: the whole Project')
    .addOption(
      new Option('--format <format>', 'how to write it').choices(['table', ...EXPORT_FORMATS]).default('table'),
    )
    .option('-O, --out <file>', 'write to a file');
  return withApiOptions(command).action(
    lazily(async () => (await import('../actions/policy-report.action.js')).runPolicyReport),
  );
}
