import type { Panel, Query, Threshold } from './model.js';
import { inNamespace } from './queries.js';

type Json = Readonly<Record<string, unknown>>;

/** The one that the reader of a dashboard chooses. */
export const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;

export interface GridPosition {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Place {
  readonly id: number;
  readonly gridPos: GridPosition;
}

/** A panel as Grafana reads it. */
export function panelJson(panel: Panel, { id, gridPos }: Place): Json {
  const { type, title, description, queries, alerts = [] } = panel;
  return {
    id,
    type,
    title,
    description,
    gridPos,
    datasource: DATASOURCE,
    targets: queries.map((query, index) => target(query, index, type)),
    fieldConfig: { defaults: fieldDefaults(panel), overrides: [] },
    options: optionsOf(panel),
    links: alerts.map((alert) => ({
      title: `Runbook: ${alert}`,
      url: `\${runbooks}/${alert}.md`,
      targetBlank: true,
    })),
    ...(type === 'table' ? { transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }] } : {}),
  };
}

function target({ expr, legend, isInstant = false }: Query, index: number, type: Panel['type']): Json {
  return {
    refId: String.fromCodePoint('A'.codePointAt(0)! + index),
    datasource: DATASOURCE,
    expr: inNamespace(expr),
    legendFormat: legend,
    instant: isInstant,
    range: !isInstant,
    format: type === 'table' ? 'table' : 'time_series',
    editorMode: 'code',
  };
}

function fieldDefaults({ type, unit, thresholds, isStacked, min, max }: Panel): Json {
  const steps: readonly (Threshold | { readonly value: null; readonly color: string })[] = [
    { value: null, color: 'green' },
    ...(thresholds ?? []),
  ];
  return {
    unit,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    color: { mode: type === 'timeseries' ? 'palette-classic' : 'thresholds' },
    thresholds: { mode: 'absolute', steps },
    custom: type === 'timeseries' ? lines(isStacked ?? false, thresholds !== undefined) : {},
  };
}

function lines(isStacked: boolean, hasThresholds: boolean): Json {
  return {
    drawStyle: 'line',
    lineWidth: 1,
    fillOpacity: isStacked ? 30 : 8,
    // Lines are between values: one that stands alone is seen as a point only.
    showPoints: 'auto',
    spanNulls: false,
    stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
    thresholdsStyle: { mode: hasThresholds ? 'line' : 'off' },
  };
}

function optionsOf({ type }: Panel): Json {
  const reduceOptions = { calcs: ['lastNotNull'], fields: '', values: false };
  switch (type) {
    case 'timeseries':
      return {
        legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
        tooltip: { mode: 'multi', sort: 'desc' },
      };
    case 'stat':
      return {
        reduceOptions,
        colorMode: 'value',
        graphMode: 'area',
        textMode: 'auto',
        justifyMode: 'auto',
        orientation: 'auto',
      };
    case 'bargauge':
      return { reduceOptions, displayMode: 'gradient', orientation: 'horizontal', showUnfilled: true };
    case 'table':
      return { showHeader: true, cellHeight: 'sm' };
  }
}
