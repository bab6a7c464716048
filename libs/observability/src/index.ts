export { DASHBOARDS } from './grafana/dashboards/index.js';
export { type Panel } from './grafana/model.js';
export type { Objective } from './slo/objectives.js';
export { type Rule } from './slo/slo-rules.js';
export { writtenFiles, type WrittenFile } from './written-files.js';
export { brokenConventions, shownMetrics, type ShownMetric } from './checks/exposition.js';
export { metricsIn, withoutVariables } from './checks/promql.js';
export { allAlerts, allRules, ROOT } from './checks/rule-files.js';
