import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import type { ConformanceBench } from '../conformance/bench.js';
import { aCluster } from '../conformance/documents.js';
import type { Answer, HttpClient } from '../conformance/http-client.js';
import { Kubectl } from '../conformance/kubectl.js';
import { tokenOf } from '../tenancy/people.js';

const PROJECT = 'team-reports';
const RULE = 'named-by-reports';
const REPORTS = `/apis/wgpolicyk8s.io/v1alpha2/namespaces/${PROJECT}/policyreports`;
const POLICIES = '/apis/policy.crate.dev/v1alpha1/policies';
const WAIT = { timeoutMs: 60_000 };

let bench: ConformanceBench;
let viewer: HttpClient;
let stranger: HttpClient;
let kubectl: Kubectl;

async function prepare(): Promise<void> {
  await bench.project(PROJECT, [{ kind: 'User', name: 'viola', role: 'viewer' }]);
  const tokens = ['viola', 'stan'].map(async (name) =>
    tokenOf(await bench.platform.crate('kubeconfig', '--user', name)),
  );
  [viewer, stranger] = (await Promise.all(tokens)).map((token) => bench.admin.as(token)) as [HttpClient, HttpClient];
  kubectl = await Kubectl.as('kubectl', await bench.platform.crate('kubeconfig', '--user', 'viola'), PROJECT);
  await bench.admin.apply(aCluster('one'), PROJECT);
  await eventually(async () => (await viewer.get(`${REPORTS}/one`)).code === 200, WAIT);
}

function aRule(): object {
  return {
    apiVersion: 'policy.crate.dev/v1alpha1',
    kind: 'Policy',
    metadata: { name: RULE },
    spec: {
      title: 'The name is two',
      level: 'must',
      match: { stages: ['ClusterSpec'], projects: [PROJECT] },
      validations: [{ expression: "object.metadata.name == 'two'", message: 'It is not two', field: 'metadata.name' }],
      remedy: 'Call it two',
      references: ['House 1.0 7'],
    },
  };
}

const exported = (format: string, person = viewer): Promise<Answer> =>
  person.get(`${REPORTS}/one/export?format=${format}`);

/** What people are told of rules that their clusters meet or break. */
export function reports(platform: ConformanceBench): void {
  describe('a policy report', () => {
    beforeAll(async () => {
      bench = platform;
      await prepare();
    });
    afterAll(() => {
      for (const person of [viewer, stranger]) person?.close();
    });

    it('is where viewers look for it, and for members alone', async () => {
      expect(await kubectl.ok(['api-resources', '--api-group=wgpolicyk8s.io'])).toContain('policyreports');
      const table = await kubectl.ok(['get', 'polr']);
      expect(table).toMatch(/NAME +PASS +FAIL +WARN +ERROR +SKIP/);
      expect(table).toMatch(/\none +\d+ +0 /);
      expect((await stranger.get(REPORTS)).code).toBe(403);
      expect((await exported('csv', stranger)).code).toBe(403);
      expect((await bench.admin.post(REPORTS, { metadata: { name: 'mine' } })).code).toBe(403);
    });

    it('follows a rule, which says beforehand what it will lead to', async () => {
      // Whoever writes a rule is not kept waiting: what is not judged in a few seconds is left out of either answer.
      await eventually(async () => {
        const tried = await bench.admin.post(`${POLICIES}?dryRun=All`, aRule());
        expect(tried.headers.warning).toContain(
          'would newly deny 1 cluster in 1 project: team-reports/one (metadata.name:',
        );
      }, WAIT);
      const question = {
        kind: 'PolicyImpactReview',
        apiVersion: 'policy.crate.dev/v1alpha1',
        metadata: { name: 'ask' },
      };
      const asked = { ...question, spec: { policy: (aRule() as { spec: object }).spec } };
      const path = '/apis/policy.crate.dev/v1alpha1/policyimpactreviews';
      await eventually(async () => {
        const { body } = await bench.admin.post(path, asked);
        expect(body).toMatchObject({ status: { clusters: 1, incomplete: false } });
      }, WAIT);
      expect((await viewer.post(path, asked)).code).toBe(403);

      expect((await bench.admin.post(POLICIES, aRule())).code).toBe(201);
      await eventually(async () => (await viewer.get(`${REPORTS}/one`)).text.includes('It is not two'), WAIT);
      const printed = await kubectl.ok(['get', 'polr', 'one', '-o', 'jsonpath={.summary.fail}']);
      expect(printed).toBe('1');
    });

    it('is exported', async () => {
      const types = {
        csv: 'text/csv',
        json: 'application/json',
        sarif: 'application/sarif+json',
        pdf: 'application/pdf',
      };
      for (const [format, type] of Object.entries({ ...types, html: 'text/html' })) {
        const answer = await exported(format);
        expect([answer.code, answer.headers['content-type']]).toEqual([200, expect.stringContaining(type)]);
        expect(answer.headers['content-disposition']).toBe(`attachment; filename="policy-report-one.${format}"`);
      }
      expect((await exported('csv')).text).toContain(`${PROJECT},one,${RULE},The name is two,fail,must`);
      expect((await exported('doc')).code).toBe(400);
      const raw = await kubectl.ok(['get', '--raw', `${REPORTS}/one/compliance`]);
      expect(JSON.parse(raw)).toMatchObject({
        frameworks: expect.arrayContaining([
          expect.objectContaining({ framework: 'House 1.0', controls: expect.objectContaining({ fail: 1 }) }),
        ]),
      });
      expect((await viewer.get(`${REPORTS}/one/history`)).body).toMatchObject({ kind: 'PolicyHistory' });
    });

    it('goes with its cluster', async () => {
      const path = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${PROJECT}/clusters/one`;
      expect((await bench.admin.call('DELETE', path)).code).toBe(200);
      await eventually(async () => (await viewer.get(`${REPORTS}/one`)).code === 404, WAIT);
      await eventually(async () => (await viewer.get(`${REPORTS}/project.${PROJECT}`)).code === 404, WAIT);
    });
  });
}
