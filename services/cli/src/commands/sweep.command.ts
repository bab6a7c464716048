import { apiVersionOf, CLOUD_ACCOUNT, sweepReport } from '@crate/api';
import { Command } from 'commander';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { sweepText } from './sweep-text.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';

interface SweepOptions extends ApiOptions {
  readonly namespace: string;
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

/** `crate sweep`: what carries tags of Crate in an account and belongs to nobody, and has it cleaned up. */
export function sweepCommand(): Command {
  return withApiOptions(
    new Command('sweep').description(
      'Look for cloud resources that belong to nobody, and have those removed that are proven abandoned',
    ),
  )
    .argument('<account>', 'name of the CloudAccount')
    .requiredOption('-n, --namespace <project>', 'Project of the account')
    .option('--dry-run', 'look and tell, and do nothing')
    .addOption(formatOption('text'))
    .action(async (account: string, options: SweepOptions) => {
      const { namespace, dryRun = false, output } = options;
      const api = await apiOf(options);
      const path = sweepPath(namespace, account);
      const report = sweepReport.parse(dryRun ? await api.get(path) : await api.create(path, {}));
      printAs(output, report, () => [sweepText(report, !dryRun)]);
    });
}

function sweepPath(namespace: string, name: string): string {
  const object = `${CLOUD_ACCOUNT.plural}/${encodeURIComponent(name)}`;
  return `/apis/${apiVersionOf(CLOUD_ACCOUNT)}/namespaces/${encodeURIComponent(namespace)}/${object}/sweep`;
}
