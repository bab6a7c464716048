import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { POLICY_REPORT, POLICY_WAIVER, type PolicyReport, type PolicyStage, type PolicyWaiver } from '@crate/api';
import { aRule } from '@crate/policy-engine';
import { TypedClient } from '@crate/resource-client';
import { canonicalJson, KindRegistry, LocalResourceApi } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { InMemoryAssessmentRepository } from '../report/in-memory-assessment.repository.js';
import { NO_COUNTS } from '../report/assessment.js';
import { ReportWriter } from '../report/report-writer.js';
import { projectReport } from '../report/report-body.js';
import { EvidenceGatherer, MOST_RESULTS } from './evidence-gatherer.js';

const CONTEXT = { caller: { user: 'vera', groups: [] }, traceId: '1'.repeat(32) };
const RULES = new Map([['named', aRule('named', { references: ['NIST 800-53 AC-4', 'https://example.com'] })]]);

describe('EvidenceGatherer', () => {
  let assessments: InMemoryAssessmentRepository;
  let reports: TypedClient<PolicyReport>;
  let waivers: Partial<PolicyWaiver>[];
  let gatherer: EvidenceGatherer;

  beforeEach(() => {
    assessments = new InMemoryAssessmentRepository();
    waivers = [];
    const kinds = new KindRegistry([{ definition: POLICY_REPORT }, { definition: POLICY_WAIVER }]);
    const api = new LocalResourceApi({ store: new InMemoryResourceStore(), kinds });
    reports = new TypedClient(api, POLICY_REPORT, CONTEXT);
    const rules = {
      ensureFresh: () => Promise.resolve(),
      inForce: (_: PolicyStage) => ({ policies: [...RULES.values()] }),
    };
    gatherer = new EvidenceGatherer({
      assessments,
      rules,
      reports: api,
      waivers: { list: () => Promise.resolve(waivers as PolicyWaiver[]) },
      now: () => new Date('2026-11-22T12:00:00Z'),
    });
  });

  async function cluster(name: string, findings: number, omitted = 0): Promise<PolicyReport> {
    const judged = new Map([['named', { ...NO_COUNTS, fail: 1 }]]);
    const summary = { ...NO_COUNTS, fail: findings };
    const about = { namespace: 'team-a', cluster: name, documents: 2, rules: judged, summary, violations: {} };
    const when = { assessedAt: new Date('2026-11-22T11:00:00Z'), rulesDigest: 'r', documentsDigest: 'd' };
    await assessments.save({ ...about, ...when });
    const results = Array.from({ length: findings }, (_, index) => ({
      policy: 'named',
      result: 'fail' as const,
      message: `finding ${index}`,
      properties: { level: 'must', field: 'spec' },
    }));
    const annotations = omitted > 0 ? { 'policy.crate.dev/omitted-results': String(omitted) } : {};
    const labels = { 'policy.crate.dev/scope': 'cluster' };
    return reports.create({
      metadata: { namespace: 'team-a', name, labels, annotations },
      results: [...results, { policy: 'other', result: 'pass' }],
    });
  }

  async function project(): Promise<PolicyReport> {
    const draft = projectReport('team-a', await assessments.ofProject('team-a'), RULES);
    await new ReportWriter(reports).write(draft);
    return (await reports.find('project.team-a', 'team-a')) as PolicyReport;
  }

  it('brings together what a cluster stands on', async () => {
    const evidence = await gatherer.of(await cluster('demo', 1, 3), CONTEXT);
    expect(evidence).toMatchObject({
      scope: { kind: 'Cluster', project: 'team-a', cluster: 'demo' },
      generatedAt: '2026-11-22T12:00:00.000Z',
      generatedBy: 'vera',
      judgedAt: '2026-11-22T11:00:00.000Z',
      documents: 2,
      omitted: 3,
      summary: { fail: 1, pass: 0 },
      rules: [{ policy: 'named', status: 'fail', generation: 1, revision: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      results: [{ cluster: 'demo', policy: 'named', message: 'finding 0', field: 'spec' }],
      frameworks: [{ framework: 'NIST 800-53', controls: { fail: 1 }, details: [{ control: 'AC-4', status: 'fail' }] }],
    });
    expect(evidence.frameworks).toHaveLength(1);
  });

  it('has a digest of all of it', async () => {
    const { digest, ...rest } = await gatherer.of(await cluster('demo', 1), CONTEXT);
    expect(digest).toBe(createHash('sha256').update(canonicalJson(rest)).digest('hex'));
  });

  it('brings together the findings of all clusters of a Project, as many as there is room for', async () => {
    for (let index = 0; index < 45; index += 1) await cluster(`c-${index}`, 120);
    const evidence = await gatherer.of(await project(), CONTEXT);
    expect(evidence).toMatchObject({ scope: { kind: 'Project', project: 'team-a' }, clusters: 45, documents: 90 });
    expect([evidence.results.length, evidence.omitted]).toEqual([MOST_RESULTS, 45 * 120 - MOST_RESULTS]);
    expect(new Set(evidence.results.map((result) => result.cluster)).size).toBeGreaterThan(20);
  });

  it('names waivers that were approved and are about the scope', async () => {
    const spec = { policies: ['named'], reason: 'because of load tests', expiresAt: '2027-01-01T00:00:00Z' };
    const status = { approvedBy: 'vera', requestedBy: 'ada' };
    const waiver = (name: string, clusters: string[]): Partial<PolicyWaiver> =>
      ({ metadata: { name }, spec: { ...spec, clusters }, status }) as unknown as PolicyWaiver;
    const { status: _status, ...pending } = waiver('pending', ['demo']);
    waivers = [waiver('fits', ['de*']), waiver('elsewhere', ['prod']), pending];
    const evidence = await gatherer.of(await cluster('demo', 1), CONTEXT);
    expect(evidence.waivers).toMatchObject([{ name: 'fits', reason: 'because of load tests', approvedBy: 'vera' }]);
  });

  it('says of waivers that were approved once when they were taken back', async () => {
    const spec = { policies: ['named'], reason: 'because of load tests', expiresAt: '2027-01-01T00:00:00Z' };
    const status = { approvedBy: 'vera', requestedBy: 'ada' };
    const revoked = { by: 'eve', at: '2026-11-20T00:00:00Z' };
    const annotations = { 'policy.crate.dev/revoked': JSON.stringify(revoked) };
    const deletionTimestamp = '2026-11-21T00:00:00Z';
    waivers = [
      { metadata: { name: 'holds' }, spec, status },
      { metadata: { name: 'back', annotations }, spec, status },
      { metadata: { name: 'going', deletionTimestamp }, spec, status },
    ] as unknown as PolicyWaiver[];
    const evidence = await gatherer.of(await cluster('demo', 1), CONTEXT);
    expect(evidence.waivers.map(({ name, revoked: by, deletedAt }) => [name, by, deletedAt])).toEqual([
      ['holds', undefined, undefined],
      ['back', revoked, undefined],
      ['going', undefined, deletionTimestamp],
    ]);
  });
});
