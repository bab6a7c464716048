import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  POLICY_REPORT,
  type PolicyReport,
  type PolicyReportResult,
  type PolicyReviewRequest,
  type PolicySpec,
  type PolicyStage,
} from '@crate/api';
import { PlatformError } from '@crate/errors';
import { aRule, RuleReviewer, type ActiveWaiver, type CataloguedPolicy } from '@crate/policy-engine';
import { type Outcome, type ReconcileContext } from '@crate/reconcile';
import { TypedClient } from '@crate/resource-client';
import { KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { InMemoryHistoryRepository } from '../history/in-memory-history.repository.js';
import { PolicyHistory } from '../history/policy-history.js';
import { DocumentMemory } from '../memory/document-memory.js';
import { InMemoryDocumentRepository } from '../memory/in-memory-document.repository.js';
import { MOST_FINDINGS } from './assessment.js';
import { ClusterPass } from './cluster-pass.js';
import { InMemoryAssessmentRepository } from './in-memory-assessment.repository.js';
import { EVERYTHING, PolicyReportReconciler } from './policy-report.reconciler.js';
import { ProjectPass } from './project-pass.js';
import { ReportWriter } from './report-writer.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-11-22T10:00:00Z');

const NAMED: Partial<PolicySpec> = {
  match: { stages: ['ClusterSpec'] },
  validations: [{ expression: 'object.name == "good"', message: 'The name is bad', field: 'name' }],
  references: ['NIST 800-53 AC-4'],
};

describe('PolicyReportReconciler', () => {
  let nowMs: number;
  let aheadMs: number;
  let policies: CataloguedPolicy[];
  let waivers: ActiveWaiver[];
  let store: InMemoryResourceStore;
  let reports: TypedClient<PolicyReport>;
  let documents: InMemoryDocumentRepository;
  let assessments: InMemoryAssessmentRepository;
  let points: InMemoryHistoryRepository;
  let memory: DocumentMemory;
  let reconciler: PolicyReportReconciler;
  let judged: number;
  let enqueued: string[];
  let delays: number[];
  let turns: number;

  beforeEach(() => {
    nowMs = START;
    aheadMs = 0;
    policies = [aRule('named', NAMED)];
    waivers = [];
    judged = 0;
    enqueued = [];
    delays = [];
    turns = 0;
    store = new InMemoryResourceStore();
    const kinds = new KindRegistry([{ definition: POLICY_REPORT }]);
    const context = { caller: { user: 'test', groups: [] }, traceId: '1'.repeat(32) };
    reports = new TypedClient(new LocalResourceApi({ store, kinds }), POLICY_REPORT, context);
    const now = (): number => nowMs;
    documents = new InMemoryDocumentRepository(() => new Date(nowMs));
    assessments = new InMemoryAssessmentRepository();
    points = new InMemoryHistoryRepository(() => new Date(nowMs));
    const history = new PolicyHistory(points, now);
    const logger = new InMemoryLogger();
    const rules = {
      ensureFresh: () => Promise.resolve(),
      inForce: (stage: PolicyStage) => ({
        policies: policies.filter(({ policy }) => policy.spec.match.stages.includes(stage)),
        waivers,
      }),
    };
    const writer = new ReportWriter(reports, now);
    const common = { assessments, rules, reports: writer, history, now };
    const reviewer = new RuleReviewer(logger, { ruleMs: 1000, reviewMs: 4000 }, now);
    const onJudged = (): number => (judged += 1);
    const queue = {
      enqueue: (_: string, keys: readonly { namespace: string; name: string }[], delayMs = 0) => {
        delays.push(delayMs);
        enqueued.push(...keys.map(({ namespace, name }) => `${namespace}/${name}`));
        return Promise.resolve();
      },
    };
    memory = new DocumentMemory({ documents, logger, onChange: () => Promise.resolve(), now });
    reconciler = new PolicyReportReconciler({
      documents,
      assessments,
      clusters: new ClusterPass({ ...common, documents, reviewer, everyMs: HOUR_MS, onJudged }),
      projects: new ProjectPass(common),
      history: points,
      queue,
      rate: {
        run: (_signal, work) => {
          turns += 1;
          return work();
        },
      },
      passesPerSecond: 20,
      keptMs: 7 * DAY_MS,
      historyMs: 90 * DAY_MS,
      now: () => nowMs + aheadMs,
    });
  });

  async function remember(name: string, cluster = 'demo', changes: Partial<PolicyReviewRequest> = {}): Promise<void> {
    const subject = { namespace: 'team-a', name: cluster };
    memory.note({ stage: 'ClusterSpec', document: { name }, subject, ...changes });
    await memory.flush();
  }

  async function pass(name = 'demo', namespace = 'team-a'): Promise<Outcome> {
    const { signal } = new AbortController();
    return reconciler.reconcile({ namespace, name }, { signal, remoteSignal: signal } as ReconcileContext);
  }

  const reportOf = (name = 'demo'): Promise<PolicyReport | undefined> => reports.find(name, 'team-a');
  const told = (report: PolicyReport | undefined): Partial<PolicyReportResult>[] =>
    (report?.results ?? []).map(({ policy, result, message }) => ({
      policy,
      ...(result ? { result } : {}),
      ...(message === undefined ? {} : { message }),
    }));

  it('says of what is remembered what is wrong with it, where, and since when', async () => {
    await remember('bad');
    await pass();
    expect(await reportOf()).toMatchObject({
      scope: { kind: 'Cluster', namespace: 'team-a', name: 'demo' },
      summary: { pass: 0, fail: 1, warn: 0, error: 0, skip: 0 },
      results: [
        {
          source: 'crate',
          policy: 'named',
          result: 'fail',
          message: 'The name is bad',
          scored: true,
          resources: [
            { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', namespace: 'team-a', name: 'demo' },
          ],
          timestamp: { seconds: START / 1000, nanos: 0 },
          properties: { field: 'name', level: 'must', effect: 'deny', references: 'NIST 800-53 AC-4' },
        },
      ],
    });
  });

  it('judges nothing twice, and writes nothing when nothing differs, until the time is over', async () => {
    await remember('bad');
    await pass();
    const before = await store.currentRevision();
    nowMs += HOUR_MS / 2;
    await remember('bad');
    await pass();
    expect([judged, await store.currentRevision()]).toEqual([1, before]);
    nowMs += HOUR_MS / 2;
    await pass();
    // Judged again, and still as it was: the time since when it is so has not moved either.
    expect([judged, await store.currentRevision()]).toEqual([2, before]);
  });

  it('says of each of several findings in one place since when it is so, also in other words', async () => {
    const validation = {
      forEach: 'object.name.split(",")',
      expression: 'false',
      messageExpression: 'item',
      field: 'spec',
    };
    policies = [aRule('machines', { ...NAMED, validations: [validation] })];
    const since = async (names: string): Promise<readonly string[]> => {
      await remember(names);
      await pass();
      const { results = [] } = (await reportOf()) ?? {};
      return results.map(({ message, timestamp }) => `${message} ${Number(timestamp?.seconds) - START / 1000}`).sort();
    };
    expect(await since('a')).toEqual(['a 0']);
    nowMs += HOUR_MS;
    expect(await since('b,a')).toEqual(['a 0', 'b 3600']);
    nowMs += HOUR_MS;
    expect(await since('B,a')).toEqual(['B 3600', 'a 0']);
  });

  it('judges again when a rule changes, and says so without being asked', async () => {
    await remember('good');
    await pass();
    expect(told(await reportOf())).toEqual([{ policy: 'named', result: 'pass' }]);
    const changed = aRule('named', {
      ...NAMED,
      validations: [{ expression: 'object.name == "better"', message: 'No' }],
    });
    const { policy } = changed;
    policies = [{ ...changed, policy: { ...policy, metadata: { ...policy.metadata, generation: 2 } } }];
    await pass();
    expect(told(await reportOf())).toEqual([{ policy: 'named', result: 'fail', message: 'No' }]);
    policies = [];
    await pass();
    expect(await reportOf()).toMatchObject({ results: [], summary: { fail: 0 } });
  });

  it.each([
    { level: 'should', enforcement: 'enforce', want: { result: 'warn', scored: false } },
    { level: 'may', enforcement: 'enforce', want: { result: 'warn', scored: false } },
    { level: 'must', enforcement: 'dry-run', want: { result: 'fail', scored: false } },
    { level: 'must', enforcement: 'warn', want: { result: 'fail', scored: false } },
  ] as const)('tells a $level that is set to $enforcement as $want', async ({ level, enforcement, want }) => {
    policies = [aRule('named', { ...NAMED, level, enforcement })];
    await remember('bad');
    await pass();
    expect((await reportOf())?.results?.[0]).toMatchObject(want);
  });

  it('skips what is waived, until the waiver expires, and looks again then', async () => {
    const expiresAtMs = START + HOUR_MS / 4;
    const waiver = { namespace: 'team-a', name: 'for-now', policies: ['named'], expiresAtMs };
    waivers = [{ ...waiver, authority: 'ProjectAdmin' }];
    await remember('bad');
    expect(await pass()).toMatchObject({ kind: 'waiting', reason: 'WaiverExpires', retryAfterMs: HOUR_MS / 4 });
    expect((await reportOf())?.results?.[0]).toMatchObject({ result: 'skip', properties: { waiver: 'for-now' } });
    nowMs = expiresAtMs;
    expect(await pass()).toMatchObject({ kind: 'settled' });
    expect((await reportOf())?.results?.[0]).toMatchObject({ result: 'fail' });
  });

  it('tells a rule that cannot be evaluated as an error', async () => {
    policies = [aRule('named', { ...NAMED, validations: [{ expression: 'object.nope == 1' }] })];
    await remember('bad');
    await pass();
    expect(await reportOf()).toMatchObject({ summary: { error: 1 }, results: [{ result: 'error' }] });
  });

  it('has room for so many results, the worst first, and says how many are left out', async () => {
    const plenty = MOST_FINDINGS + 50;
    policies = [
      aRule('a-mild', { ...NAMED, match: { stages: ['Manifest'] }, level: 'should' }),
      aRule('b-grave', { ...NAMED, match: { stages: ['Manifest'] } }),
    ];
    for (let index = 0; index < plenty; index += 1) {
      const subject = { namespace: 'team-a', name: `m-${index}`, cluster: 'demo' };
      const document = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'x' }, name: 'bad' };
      memory.note({ stage: 'Manifest', document, subject });
    }
    await memory.flush();
    await pass();
    const report = await reportOf();
    expect(report?.summary).toEqual({ pass: 0, fail: plenty, warn: plenty, error: 0, skip: 0 });
    expect(report?.results?.map(({ policy }) => policy)).toEqual(Array(MOST_FINDINGS).fill('b-grave'));
    expect(report?.metadata.annotations).toEqual({
      'policy.crate.dev/documents': String(plenty),
      'policy.crate.dev/omitted-results': String(2 * plenty - MOST_FINDINGS),
    });
  });

  it('keeps report and history as they are while documents cannot be read, and judges them once they can', async () => {
    await remember('bad');
    await pass();
    const before = await reportOf();
    await remember('worse');
    const away = new PlatformError('Unavailable', 'away', { details: { reason: 'EncryptionKeyMissing' } });
    const opening = jest.spyOn(documents, 'open').mockImplementation(async function* () {
      yield* await Promise.reject<never[]>(away);
    });
    expect(await pass()).toMatchObject({ kind: 'waiting', reason: 'EncryptionKeyMissing' });
    expect(opening).toHaveBeenCalledWith(expect.objectContaining({ isWhole: true }));
    expect([await reportOf(), judged]).toEqual([before, 1]);
    expect(await assessments.clusters()).toHaveLength(1);

    opening.mockRestore();
    expect(await pass()).toMatchObject({ kind: 'settled' });
    expect(judged).toBe(2);
  });

  it('goes with its documents', async () => {
    await remember('bad');
    await pass();
    await pass('project.team-a');
    await memory.forget({ namespace: 'team-a', cluster: 'demo' });
    expect(await pass()).toMatchObject({ kind: 'settled', isGone: true });
    expect(await pass('project.team-a')).toMatchObject({ kind: 'settled', isGone: true });
    expect(await reports.list()).toEqual([]);
    expect(await points.list({ namespace: 'team-a', cluster: 'demo' }, 10)).toEqual([]);
    expect(await points.list({ namespace: 'team-a', cluster: '' }, 10)).toEqual([]);
  });

  it('ages out what nobody asks about, and finds everything by itself', async () => {
    await remember('bad');
    await pass();
    nowMs += 6 * DAY_MS;
    await remember('bad', 'other');
    nowMs += 2 * DAY_MS;
    enqueued = [];
    await pass(EVERYTHING.name, EVERYTHING.namespace);
    expect(enqueued).toEqual(['team-a/demo', 'team-a/other']);
    expect(await pass()).toMatchObject({ isGone: true });
    expect(await reportOf()).toBeUndefined();
  });

  it('takes nothing for old by the clock of this host alone', async () => {
    await remember('bad');
    await pass();
    aheadMs = 365 * DAY_MS;
    await pass(EVERYTHING.name, EVERYTHING.namespace);
    expect(await documents.clusters()).toEqual([{ namespace: 'team-a', cluster: 'demo' }]);
    expect(await points.list({ namespace: 'team-a', cluster: 'demo' }, 10)).toHaveLength(1);
  });

  it('has everything due bit by bit, as fast as it is worked off, and gives each pass but that one its turn', async () => {
    for (let index = 0; index < 250; index += 1) await remember('good', `c-${index}`);
    delays = [];
    await pass(EVERYTHING.name, EVERYTHING.namespace);
    expect(enqueued).toHaveLength(250);
    expect(delays).toEqual([0, 5_000, 10_000]);
    expect(turns).toBe(0);
    await pass('c-0');
    await pass('project.team-a');
    expect(turns).toBe(2);
  });

  it('goes on where a pass was cut short behind the first report of a cluster', async () => {
    await remember('bad');
    await pass();
    const written = await reportOf();
    await assessments.remove({ namespace: 'team-a', cluster: 'demo' });
    nowMs += 60_000;
    await pass();
    expect(await reportOf()).toEqual(written);
    expect(await assessments.find({ namespace: 'team-a', cluster: 'demo' })).toBeDefined();
  });

  it('sums up a Project by rule, and follows its clusters', async () => {
    policies = [aRule('named', NAMED), aRule('other', { ...NAMED, validations: [{ expression: 'true' }] })];
    await remember('bad');
    await remember('good', 'second');
    await pass();
    expect(enqueued).toEqual(['team-a/project.team-a']);
    await pass('second');
    await pass('project.team-a');
    expect(await reportOf('project.team-a')).toMatchObject({
      scope: { kind: 'Project', name: 'team-a' },
      summary: { pass: 1, fail: 1 },
      results: [
        {
          policy: 'named',
          result: 'fail',
          message: 'Broken in 1 of 2 clusters: demo',
          resources: [{ kind: 'Cluster', name: 'demo' }],
        },
        { policy: 'other', result: 'pass', properties: { clusters: '2' } },
      ],
    });
    const before = await store.currentRevision();
    await pass('project.team-a');
    expect(await store.currentRevision()).toBe(before);
  });

  it('keeps a point for each day and each change, and replaces those of the last minutes', async () => {
    const history = async (): Promise<string[]> =>
      (await points.list({ namespace: 'team-a', cluster: 'demo' }, 10)).map(
        ({ at, rules, frameworks }) =>
          `${at.toISOString()} ${rules.pass}/${rules.fail} ${frameworks['NIST 800-53']?.fail ?? '-'}`,
      );
    await remember('good');
    await pass();
    await remember('bad');
    nowMs += 60_000;
    await pass();
    expect(await history()).toEqual(['2026-11-22T10:01:00.000Z 0/1 1']);
    nowMs += HOUR_MS;
    await pass();
    await remember('good');
    await pass();
    nowMs += DAY_MS;
    await pass();
    expect(await history()).toEqual([
      '2026-11-22T10:01:00.000Z 0/1 1',
      '2026-11-22T11:01:00.000Z 1/0 0',
      '2026-11-23T11:01:00.000Z 1/0 0',
    ]);
  });
});
