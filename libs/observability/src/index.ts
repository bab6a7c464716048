export { DASHBOARDS } from './grafana/dashboards/index.js';
export { dashboardJson } from './grafana/dashboard.js';
export { type Panel } from './grafana/model.js';
export { OBJECTIVES, type Objective } from './slo/objectives.js';
export { type Rule } from './slo/slo-rules.js';
export { writtenFiles, type WrittenFile } from './written-files.js';
export { brokenConventions, MOST_SERIES, shownMetrics, type ShownMetric } from './checks/exposition.js';
export { metricsIn, withoutVariables } from './checks/promql.js';
export { allAlerts, allRules, ROOT } from './checks/rule-files.js';
