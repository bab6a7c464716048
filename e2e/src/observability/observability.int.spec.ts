import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allAlerts,
  allRules,
  brokenConventions,
  DASHBOARDS,
  metricsIn,
  ROOT,
  shownMetrics,
  withoutVariables,
  type ShownMetric,
} from '@crate/observability';
import { CratePlatform, eventually } from '@crate/testing';
import { CrateUser } from '../crate-user.js';
import { Prometheus } from './prometheus.js';

const SERVICES = ['cloud-mgmt', 'cluster-mgmt', 'lifecycle', 'policy-mgmt'];
const PATIENCE_MS = 180_000;

/** Have no value where nothing of the kind has happened, or where the installation has none. */
const MAY_BE_EMPTY = [
  // Nothing fails, is refused, dropped, lost or taken over in a platform that is well.
  'outcome="failed"',
  'code!="OK"',
  'code=~"5.."',
  'crate_http_requests_limited_total',
  'crate_reconcile_lost_leases_total',
  'crate_reconcile_takeovers_total',
  'crate_reconcile_retries_total',
  'crate_events_dropped_total',
  'crate_policy_violations',
  'crate_policy_rules_broken',
  'crate_metric_collection_failures_total',
  'status!="True"',
  // Only with a channel that messages go to.
  'crate_notification_attempt',
  // Only with a collector of traces, or with somebody at the console.
  'crate_telemetry_spans_dropped_total',
  'crate_console_sign_ins_total',
  // Only with sources of packs besides those that ship.
  'crate_policy_pack_source_readable',
  // Only with TLS, or with a webhook.
  'crate_nats_certificate',
  'crate_webhook_certificate',
  // Not in the time of a test.
  'crate_sweeps_total',
  'crate_clusters_in_phase',
  'crate_terraform_resources_changed_total[1h]',
];

/** There only where traces are sent to a collector, or where a console is served. */
const OPTIONAL = new Set(['crate_telemetry_spans_dropped_total', 'crate_console_sign_ins_total']);

/** Alerts that a machine with too much to do may begin to raise, and that look back for longer than a test waits. */
const WHEN_BUSY = [
  '.*BudgetBurn',
  'CrateEventLoopBusy',
  'CrateStoreCommitsSlow',
  'CratePostgresPoolExhausted',
  'CrateMetricSourceFailing',
  'CrateDatabaseUnreachable',
  'CrateEventsDropped',
  'CrateNatsReconnecting',
  'CrateReconcileFailing',
  'CrateReplicaDown',
  'CrateServiceDown',
  'CratePolicyReviewsFailing',
  'CrateServiceCallsFailing',
  'CrateLeasesLost',
  'CrateSweepFailing',
];

let platform: CratePlatform;
let prometheus: Prometheus;
let user: CrateUser;
const shown = new Map<string, ReadonlyMap<string, ShownMetric>>();

beforeAll(async () => {
  platform = await CratePlatform.start();
  prometheus = await Prometheus.start(platform);
  // What happens before the first scrape is no increase: on a quick machine that would be all of it.
  await eventually(async () => expect(await prometheus.query('up{job="crate"} == 1')).toHaveLength(SERVICES.length), {
    timeoutMs: PATIENCE_MS,
  });
  user = await CrateUser.of(platform);
  await user.applyQuickstart('stays');
  await user.applyDemo('goes');
  await user.untilReady('stays');
  await user.untilReady('goes');
  await user.delete('goes');
  await user.untilGone('goes');
  for (const [name, { healthUrl }] of Object.entries(await platform.processes())) {
    if (healthUrl === undefined) continue;
    shown.set(name, shownMetrics(await (await fetch(`${healthUrl}/metrics`)).text()));
  }
});
afterAll(async () => {
  await prometheus?.stop();
  await platform?.remove();
});

function existing(): ReadonlySet<string> {
  return new Set([...shown.values()].flatMap((metrics) => [...metrics.keys()]));
}

describe('metrics of a platform that works', () => {
  it('keep to the conventions, and have few series', () => {
    expect([...shown.keys()].sort()).toEqual(SERVICES);
    for (const [service, metrics] of shown) expect([service, brokenConventions(metrics)]).toEqual([service, []]);
  });

  it('tell how long the journeys of clusters took', async () => {
    expect(await platform.metric('lifecycle', 'crate_cluster_time_to_ready_seconds_count')).toBe(2);
    expect(await platform.metric('lifecycle', 'crate_cluster_deletion_seconds_count')).toBe(1);
    expect(await platform.metric('cloud-mgmt', 'crate_terraform_resources_changed_total')).toBeGreaterThan(10);
  });

  it('are all that dashboards and rules name', async () => {
    const panels = DASHBOARDS.flatMap(({ rows }) => rows.flatMap((row) => row.panels));
    const expressions = [...panels.flatMap(({ queries }) => queries), ...(await allRules())].map(({ expr }) => expr);
    const named = new Set(expressions.flatMap(metricsIn));
    expect(named.size).toBeGreaterThan(50);
    expect([...named].filter((name) => !existing().has(name) && !OPTIONAL.has(name))).toEqual([]);
  });

  it('are all described where people look, and nothing else is', async () => {
    const text = await readFile(join(ROOT, 'docs', 'observability.md'), 'utf8');
    const described = new Set(text.match(/crate_[a-z0-9][a-z0-9_]*/g));
    const own = [...existing()].filter((name) => name.startsWith('crate_'));
    expect(own.filter((name) => !described.has(name))).toEqual([]);
    expect([...described].filter((name) => !existing().has(name) && !OPTIONAL.has(name))).toEqual([]);
  });
});

describe('Prometheus, as it is shipped', () => {
  it('scrapes every service', async () => {
    await eventually(
      async () => {
        const targets = await prometheus.targets();
        expect(targets.map(({ labels, health }) => [labels['service'], health]).sort()).toEqual(
          SERVICES.map((service) => [service, 'up']),
        );
        // What a scrape that came too late would have told is forgotten until the next one.
        const named = await prometheus.query('count by (service) (crate_build_info)');
        expect(named.map(({ metric }) => metric['service']).sort()).toEqual(SERVICES);
      },
      { timeoutMs: PATIENCE_MS },
    );
    expect(await prometheus.query('{exported_service=~".+"}')).toEqual([]);
  });

  it('evaluates every rule, and none says that something is wrong', async () => {
    await eventually(
      async () => {
        const rules = await prometheus.rules();
        expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
        expect(new Set(rules.map(({ name }) => name)).size).toBeGreaterThan(40);
      },
      { timeoutMs: PATIENCE_MS },
    );
    // Also what would fire if it stayed so, but for what a busy machine brings about. That of one bad moment goes; a rule that is wrong stays.
    await eventually(
      async () => {
        const raised = await prometheus.query(`ALERTS{alertname!~"${WHEN_BUSY.join('|')}"}`);
        expect(raised.map(({ metric }) => metric['alertname'])).toEqual([]);
      },
      { timeoutMs: PATIENCE_MS },
    );
    const alerts = new Set(
      (await prometheus.rules()).filter(({ type }) => type === 'alerting').map(({ name }) => name),
    );
    expect([...alerts].sort()).toEqual([...new Set((await allAlerts()).map(({ alert }) => alert))].sort());
  });

  it('has an answer for every picture', async () => {
    const pictures = DASHBOARDS.flatMap(({ uid, rows }) =>
      rows.flatMap(({ panels }) =>
        panels.flatMap(({ title, queries }) => queries.map(({ expr }) => ({ uid, title, expr }))),
      ),
    );
    await eventually(
      async () => {
        const empty: string[] = [];
        // An increase is seen between two scrapes: a series that is born with its first request has none.
        await user.applyDemo('stays');
        await user.find('stays');
        for (const { uid, title, expr } of pictures) {
          // Also those that may be empty are asked: they must at least be understood.
          const found = await prometheus.query(withoutVariables(expr));
          const mayBeEmpty = MAY_BE_EMPTY.some((part) => expr.includes(part));
          if (found.length === 0 && !mayBeEmpty) empty.push(`${uid} / ${title}: ${expr}`);
        }
        expect(empty).toEqual([]);
      },
      { timeoutMs: PATIENCE_MS },
    );
  });

  it('tells a service that is away', async () => {
    const { pid } = (await platform.processes())['policy-mgmt'] ?? {};
    process.kill(pid ?? 0, 'SIGSTOP');
    try {
      await eventually(
        async () => expect(await prometheus.query('max by (service) (up{job="crate"}) == 0')).toHaveLength(1),
        { timeoutMs: PATIENCE_MS },
      );
    } finally {
      process.kill(pid ?? 0, 'SIGCONT');
    }
  });
});
