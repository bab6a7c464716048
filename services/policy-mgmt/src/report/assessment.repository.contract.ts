import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_COUNTS } from './assessment.js';
import type { AssessmentRepository, StoredAssessment } from './assessment.repository.js';

export interface AssessmentRepositoryFixture {
  readonly assessments: AssessmentRepository;
  readonly close: () => Promise<void>;
}

function anAssessment(changes: Partial<StoredAssessment> = {}): StoredAssessment {
  return {
    namespace: 'team-a',
    cluster: 'demo',
    rulesDigest: 'r',
    documentsDigest: 'd',
    assessedAt: new Date('2026-11-22T10:00:00Z'),
    documents: 4,
    rules: new Map([['named', { ...NO_COUNTS, fail: 1, pass: 3 }]]),
    summary: { ...NO_COUNTS, fail: 1 },
    violations: { 'must/deny': 1 },
    ...changes,
  };
}

/** What every store of assessments does. */
export function assessmentRepositoryContract(name: string, open: () => Promise<AssessmentRepositoryFixture>): void {
  describe(`${name} as a store of assessments`, () => {
    let fixture: AssessmentRepositoryFixture;
    let assessments: AssessmentRepository;
    beforeEach(async () => {
      fixture = await open();
      ({ assessments } = fixture);
    });
    afterEach(() => fixture.close());

    it('gives back the newest of a cluster, whole', async () => {
      await assessments.save(anAssessment());
      const newer = anAssessment({ rulesDigest: 's', rules: new Map(), violations: {}, documents: 5 });
      await assessments.save(newer);
      expect(await assessments.find(newer)).toEqual(newer);
      expect(await assessments.find({ namespace: 'team-b', cluster: 'demo' })).toBeUndefined();
    });

    it('lists a Project by cluster, and every cluster', async () => {
      const [b, a] = [anAssessment({ cluster: 'b' }), anAssessment({ cluster: 'a' })];
      for (const one of [b, a, anAssessment({ namespace: 'team-b' })]) await assessments.save(one);
      expect(await assessments.ofProject('team-a')).toEqual([a, b]);
      expect(await assessments.clusters()).toEqual([
        { namespace: 'team-a', cluster: 'a' },
        { namespace: 'team-a', cluster: 'b' },
        { namespace: 'team-b', cluster: 'demo' },
      ]);
    });

    it('adds violations of all clusters up by level and effect', async () => {
      await assessments.save(anAssessment());
      await assessments.save(anAssessment({ cluster: 'other', violations: { 'must/deny': 2, 'may/inform': 1 } }));
      expect(await assessments.violations()).toEqual({ 'must/deny': 3, 'may/inform': 1 });
    });

    it('removes, also what is not there', async () => {
      await assessments.save(anAssessment());
      for (let time = 0; time < 2; time += 1) await assessments.remove(anAssessment());
      expect([await assessments.clusters(), await assessments.violations()]).toEqual([[], {}]);
    });
  });
}
