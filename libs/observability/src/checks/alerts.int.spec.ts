import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AlertRule } from '../slo/slo-rules.js';
import { promtool } from './promtool.js';
import { allAlerts, allRules, readYaml, ROOT, ruleFiles, ruleTestFiles } from './rule-files.js';

interface RuleTests {
  readonly tests: readonly {
    readonly name: string;
    readonly promql_expr_test: readonly { readonly exp_samples: readonly unknown[] }[];
  }[];
}

let alerts: readonly AlertRule[];
beforeAll(async () => {
  alerts = await allAlerts();
});

describe('alerts', () => {
  it('say what is wrong, what to do, how urgent it is, and where more is written', async () => {
    expect(alerts.length).toBeGreaterThan(30);
    for (const { alert, annotations, labels } of alerts) {
      expect([alert, labels['severity']]).toEqual([alert, expect.stringMatching(/^(critical|warning)$/)]);
      expect([alert, annotations['summary']]).toEqual([alert, expect.stringMatching(/^\S.{15,}/)]);
      expect([alert, annotations['description']]).toEqual([alert, expect.stringMatching(/^\S[^]{60,}[.?]$/)]);
      expect(annotations['runbook_url']).toBe(`docs/runbooks/${alert}.md`);
    }
  });

  it('have a runbook each, and there is none for an alert that is no more', async () => {
    const names = [...new Set(alerts.map(({ alert }) => alert))].sort();
    for (const name of names) {
      const text = await readFile(join(ROOT, 'docs', 'runbooks', `${name}.md`), 'utf8');
      expect(text).toMatch(new RegExp(`^# ${name}\n\n\\S[^]*\n1\\. `));
    }
    const runbooks = (await readdir(join(ROOT, 'docs', 'runbooks'))).filter((name) => name.startsWith('Crate'));
    expect(runbooks.sort()).toEqual(names.map((name) => `${name}.md`));
  });

  it('are tested to fire and to stay quiet', async () => {
    const tests = (await Promise.all((await ruleTestFiles()).map(readYaml<RuleTests>))).flatMap((file) => file.tests);
    for (const name of new Set(alerts.map(({ alert }) => alert))) {
      const fires = tests.filter((test) => test.name === `${name} fires`);
      const quiet = tests.filter((test) => test.name === `${name} stays quiet`);
      const severities = alerts.filter(({ alert }) => alert === name).length;
      expect([name, fires.length, quiet.length]).toEqual([name, severities, severities]);
      expect(
        fires.every((test) => test.promql_expr_test.every(({ exp_samples: samples }) => samples.length === 1)),
      ).toBe(true);
      expect(
        quiet.every((test) => test.promql_expr_test.every(({ exp_samples: samples }) => samples.length === 0)),
      ).toBe(true);
    }
  });
});

describe('rules', () => {
  it('are what Prometheus reads', async () => {
    const { ok, output } = await promtool('check', 'rules', ...(await ruleFiles()));
    expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
    const recorded = (await allRules()).flatMap((rule) => ('record' in rule ? [rule.record] : []));
    expect(recorded.every((name) => /^crate:[a-z0-9_]+:[a-z0-9_]+$/.test(name))).toBe(true);
  });

  it('do what their tests say', async () => {
    const { ok, output } = await promtool('test', 'rules', ...(await ruleTestFiles()));
    expect([ok, output.match(/SUCCESS/g)?.length, output]).toEqual([true, (await ruleTestFiles()).length, output]);
  }, 600_000);
});
