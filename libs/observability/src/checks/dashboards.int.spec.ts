import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { dashboardJson } from '../grafana/dashboard.js';
import { DASHBOARDS } from '../grafana/dashboards/index.js';
import { RATE } from '../grafana/queries.js';
import { OBJECTIVES } from '../slo/objectives.js';
import { writtenFiles } from '../written-files.js';
import { metricsIn, withoutVariables } from './promql.js';
import { wrongExpressions } from './promtool.js';
import { allAlerts, allRules, ROOT } from './rule-files.js';

interface PanelJson {
  readonly id: number;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

interface TargetJson {
  readonly targets?: readonly { readonly expr: string }[];
}

interface LinesJson {
  readonly type: string;
  readonly fieldConfig: { readonly defaults: { readonly custom: { readonly showPoints?: string } } };
}

const asked = DASHBOARDS.flatMap((dashboard) =>
  (dashboardJson(dashboard) as { panels: readonly TargetJson[] }).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr),
  ),
);
const panels = DASHBOARDS.flatMap(({ rows }) => rows.flatMap((row) => row.panels));

describe('files that are generated', () => {
  it.each(writtenFiles())('$path is up to date', async ({ path, text }) => {
    // When it is not: node libs/observability/dist/main.js
    expect(await readFile(join(ROOT, path), 'utf8')).toBe(text);
  });
});

describe('dashboards', () => {
  it('ask what Prometheus understands', async () => {
    expect(await wrongExpressions(asked.map(withoutVariables))).toBe('');
    expect(await wrongExpressions(['sum(crate_a'])).toContain('parse error');
  });

  it('ask about the installation that was chosen, with all series of it', () => {
    expect(asked.length).toBeGreaterThan(100);
    for (const expr of asked) {
      const bare = expr.replaceAll(/"[^"]*"/g, '""').replaceAll('crate:slo_objective:ratio', '');
      const series = bare.match(/(?<![\w:])(?:(?:crate|process|nodejs)[_:]|up\b)[\w:]*(?:\{namespace=~""[,}])?/g) ?? [];
      expect([expr, series.filter((each) => !each.includes('{'))]).toEqual([expr, []]);
      expect(series.length).toBeGreaterThan(0);
    }
  });

  it('show recorded series that are recorded', async () => {
    const recorded = new Set((await allRules()).flatMap((rule) => ('record' in rule ? [rule.record] : [])));
    const shown = panels.flatMap(({ queries }) => queries.flatMap(({ expr }) => expr.match(/crate:[\w:]+/g) ?? []));
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((name) => !recorded.has(name))).toEqual([]);
  });

  it('say what each picture is, and lead to the runbook of every alert', async () => {
    for (const { title, description, queries } of panels) {
      expect([title, description]).toEqual([title, expect.stringMatching(/^\S.{8,}\.$/)]);
      expect([title, queries.length > 0 && queries.length <= 6]).toEqual([title, true]);
    }
    const alerts = new Set((await allAlerts()).map(({ alert }) => alert));
    const linked = new Set(panels.flatMap((panel) => panel.alerts ?? []));
    expect([...linked].filter((alert) => !alerts.has(alert))).toEqual([]);
    expect([...alerts].filter((alert) => !linked.has(alert))).toEqual([]);
  });

  it('show also what happens some times a day', () => {
    const sparse = OBJECTIVES.filter(({ isSparse }) => isSparse).flatMap(({ events }) => metricsIn(events));
    const rare = [
      ...sparse,
      'crate_terraform_run_seconds',
      'crate_engine_run_seconds',
      'crate_policy_reevaluation_seconds',
    ];
    const shown = asked.filter((expr) => metricsIn(expr).some((metric) => rare.includes(metric)));
    // Between two of them a rate of minutes is nothing.
    expect(shown.filter((expr) => expr.includes(RATE))).toEqual([]);
    expect(new Set(shown.flatMap(metricsIn))).toEqual(new Set(rare));
  });

  it.each(DASHBOARDS)('$uid: values that stand alone are seen', (dashboard) => {
    const { panels: drawn } = dashboardJson(dashboard) as { panels: readonly LinesJson[] };
    const lines = drawn.filter(({ type }) => type === 'timeseries');
    expect(lines.filter(({ fieldConfig }) => fieldConfig.defaults.custom.showPoints === 'never')).toEqual([]);
  });

  it.each(DASHBOARDS)('$uid: pictures have a place of their own', (dashboard) => {
    const placed = (dashboardJson(dashboard) as { panels: PanelJson[] }).panels;
    expect(new Set(placed.map(({ id }) => id)).size).toBe(placed.length);
    const taken = new Map<string, number>();
    for (const { id, gridPos } of placed) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect([id, taken.get(`${x},${y}`)]).toEqual([id, undefined]);
          taken.set(`${x},${y}`, id);
        }
      }
    }
  });
});
