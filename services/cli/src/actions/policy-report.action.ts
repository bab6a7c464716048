import type { EXPORT_FORMATS } from '@crate/api';
import { apiVersionOf, POLICY_REPORT, type KubeList, type PolicyReport } from '@crate/api';
import { badRequest } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { FOR_OWNER, writeOut } from '../output/out-file.js';
import { reportLines, reportTable } from '../policy/policy-report-text.js';
import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';

interface ReportOptions extends ApiOptions {
  readonly project?: string;
  readonly cluster?: string;
  readonly format: 'table' | (typeof EXPORT_FORMATS)[number];
  readonly out?: string;
}

/** A name that no Cluster can have. */
const PROJECT_REPORT = 'project.';

export async function runPolicyReport(options: ReportOptions): Promise<void> {
  const { format, out } = options;
  if (format === 'pdf' && out === undefined) throw badRequest('A PDF is no text: write it to a file with -O FILE');
  const content = await contentOf(await apiOf(options), options);
  // Whom it concerns is told in it: it is for its reader alone.
  if (out !== undefined) await writeOut(out, content, FOR_OWNER);
  else process.stdout.write(content);
}

async function contentOf(api: ApiClient, { project, cluster, format }: ReportOptions): Promise<string | Buffer> {
  const base = `/apis/${apiVersionOf(POLICY_REPORT)}`;
  if (project === undefined) {
    if (cluster !== undefined || format !== 'table') throw badRequest('Give the Project: --project NAME');
    const { items } = await api.get<KubeList<PolicyReport>>(`${base}/${POLICY_REPORT.plural}`);
    return textOf(reportTable(items));
  }
  const name = encodeURIComponent(cluster ?? `${PROJECT_REPORT}${project}`);
  const path = `${base}/namespaces/${encodeURIComponent(project)}/${POLICY_REPORT.plural}/${name}`;
  if (format !== 'table') return api.bytes(`${path}/export?format=${format}`);
  return textOf(reportLines(await api.get<PolicyReport>(path)));
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
