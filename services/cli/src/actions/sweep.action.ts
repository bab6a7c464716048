import { apiVersionOf, CLOUD_ACCOUNT, sweepReport } from '@crate/api';
import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';
import { sweepText } from './sweep-text.js';
import { printAs, type OutputFormat } from '../output/print.js';

interface SweepOptions extends ApiOptions {
  readonly namespace: string;
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

export async function runSweep(account: string, options: SweepOptions): Promise<void> {
  const { namespace, dryRun = false, output } = options;
  const api = await apiOf(options);
  const path = sweepPath(namespace, account);
  const report = sweepReport.parse(dryRun ? await api.get(path) : await api.create(path, {}));
  printAs(output, report, () => [sweepText(report, !dryRun)]);
}

function sweepPath(namespace: string, name: string): string {
  const object = `${CLOUD_ACCOUNT.plural}/${encodeURIComponent(name)}`;
  return `/apis/${apiVersionOf(CLOUD_ACCOUNT)}/namespaces/${encodeURIComponent(namespace)}/${object}/sweep`;
}
