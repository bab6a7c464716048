import type { Dashboard, Panel, Row, Variable } from './model.js';
import { DATASOURCE, panelJson } from './panel.js';
import { NAMESPACE } from './queries.js';

type Json = Readonly<Record<string, unknown>>;

/** Of Grafana 11. */
const SCHEMA_VERSION = 39;
const COLUMNS = 24;
const DEFAULT_WIDTH = 8;
const DEFAULT_HEIGHT = 8;

/** A dashboard as Grafana imports it. */
export function dashboardJson(dashboard: Dashboard): Json {
  const { uid, title, description, variables, rows } = dashboard;
  return {
    uid,
    title,
    description,
    tags: ['crate'],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: 1,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    links: [dashboardLinks()],
    annotations: { list: [alertAnnotations()] },
    templating: { list: [datasourceVariable(), runbooksVariable(), ...[NAMESPACE, ...variables].map(variableJson)] },
    panels: layOut(rows),
  };
}

/** Panels from left to right, a row of them as high as its highest. */
function layOut(rows: readonly Row[]): readonly Json[] {
  const panels: Json[] = [];
  let y = 0;
  for (const { title, panels: own } of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    let [x, height] = [0, 0];
    for (const panel of own) {
      const [w, h] = sizeOf(panel);
      if (x + w > COLUMNS) [x, y, height] = [0, y + height, 0];
      panels.push(panelJson(panel, { id: panels.length + 1, gridPos: { x, y, w, h } }));
      [x, height] = [x + w, Math.max(height, h)];
    }
    y += height;
  }
  return panels;
}

function sizeOf({ width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT }: Panel): readonly [number, number] {
  return [width, height];
}

function datasourceVariable(): Json {
  return {
    name: 'datasource',
    label: 'Data source',
    type: 'datasource',
    query: 'prometheus',
    hide: 0,
    refresh: 1,
    current: {},
  };
}

/** Where runbooks are served differs from installation to installation. */
function runbooksVariable(): Json {
  const query = 'https://example.org/crate/docs/runbooks';
  return {
    name: 'runbooks',
    label: 'Runbooks',
    type: 'constant',
    query,
    hide: 2,
    current: { text: query, value: query },
  };
}

function variableJson({ name, label, query }: Variable): Json {
  return {
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    query: { query: `label_values(${query})`, refId: name },
    definition: `label_values(${query})`,
    refresh: 2,
    sort: 1,
    includeAll: true,
    multi: true,
    allValue: '.*',
    hide: 0,
    current: { selected: true, text: ['All'], value: ['$__all'] },
  };
}

function dashboardLinks(): Json {
  return { type: 'dashboards', title: 'Crate', tags: ['crate'], asDropdown: true, includeVars: false, keepTime: true };
}

/** What alerted, over every picture. */
function alertAnnotations(): Json {
  return {
    name: 'Alerts',
    datasource: DATASOURCE,
    enable: true,
    hide: false,
    iconColor: 'red',
    expr: 'ALERTS{alertname=~"Crate.*",alertstate="firing",namespace=~"$namespace"}',
    titleFormat: '{{alertname}}',
    textFormat: '{{namespace}} {{service}} {{reconciler}} {{slo}}',
    step: '60s',
  };
}
