import { stringify } from 'yaml';
import { DASHBOARDS } from './grafana/dashboards/index.js';
import { dashboardJson } from './grafana/dashboard.js';
import { OBJECTIVES } from './slo/objectives.js';
import { budgetAlerts, recordingRules, type RuleFile } from './slo/slo-rules.js';

/** A file that is generated; `path` is that in the repository. */
export interface WrittenFile {
  readonly path: string;
  readonly text: string;
}

/** All files that are generated here, as they should be. */
export function writtenFiles(): readonly WrittenFile[] {
  return [
    rules('deploy/prometheus/rules/slo.yaml', recordingRules(OBJECTIVES)),
    rules('deploy/prometheus/alerts/slo.yaml', budgetAlerts(OBJECTIVES)),
    ...DASHBOARDS.map((dashboard) => ({
      path: `deploy/grafana/dashboards/${dashboard.uid}.json`,
      text: `${JSON.stringify(dashboardJson(dashboard), undefined, 2)}\n`,
    })),
  ];
}

function rules(path: string, file: RuleFile): WrittenFile {
  const head = '# Generated from libs/observability/src/slo; what is promised is in objectives.ts there.\n';
  return { path, text: head + stringify(file, { lineWidth: 0, singleQuote: true }) };
}
