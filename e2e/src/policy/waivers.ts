import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@crate/testing';
import type { ConformanceBench } from '../conformance/bench.js';
import { aCluster } from '../conformance/documents.js';
import type { Answer, HttpClient } from '../conformance/http-client.js';
import { Kubectl } from '../conformance/kubectl.js';
import { tokenOf } from '../tenancy/people.js';

const PROJECT = 'team-waivers';
const RULE = 'cluster-region-allowed';
const WAIVERS = `/apis/policy.crate.dev/v1alpha1/namespaces/${PROJECT}/policywaivers`;
const CLUSTERS = `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${PROJECT}/clusters`;
const WAIT = { timeoutMs: 60_000 };
const EVENTS = `/api/v1/namespaces/${PROJECT}/events?fieldSelector=involvedObject.kind%3DPolicyWaiver`;

let bench: ConformanceBench;
let olga: HttpClient;
let anna: HttpClient;
let arno: HttpClient;
let kubectl: Kubectl;

async function prepare(): Promise<void> {
  await bench.project(PROJECT, [
    { kind: 'User', name: 'olga', role: 'operator' },
    { kind: 'User', name: 'anna', role: 'admin' },
    { kind: 'User', name: 'arno', role: 'admin' },
  ]);
  [olga, anna, arno] = (await Promise.all(['olga', 'anna', 'arno'].map(signedIn))) as [
    HttpClient,
    HttpClient,
    HttpClient,
  ];
  kubectl = await Kubectl.as('kubectl', await bench.platform.crate('kubeconfig', '--user', 'olga'), PROJECT);
  await eventually(async () => (await olga.get(WAIVERS)).code === 200, WAIT);
}

async function signedIn(name: string): Promise<HttpClient> {
  return bench.admin.as(tokenOf(await bench.platform.crate('kubeconfig', '--user', name)));
}

function ask(person: HttpClient, name: string, spec: object = {}): Promise<Answer> {
  const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const common = { policies: [RULE], reason: 'The customer has enabled this region', expiresAt };
  const document = { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'PolicyWaiver', metadata: { name } };
  return person.post(WAIVERS, { ...document, spec: { ...common, ...spec } });
}

/** A cluster that no rule lets be. */
async function create(name: string, query = ''): Promise<Answer> {
  return olga.post(`${CLUSTERS}${query}`, aCluster(name, { spec: { region: 'me-south-1' } }));
}

/** Two who ask for a way around a rule, and one who gives it. */
export function waivers(platform: ConformanceBench): void {
  describe('a rule that cannot hold somewhere', () => {
    beforeAll(async () => {
      bench = platform;
      await prepare();
    });
    afterAll(() => {
      for (const person of [olga, anna, arno]) person?.close();
    });

    it('holds until another person has approved a waiver, and then no longer', async () => {
      expect((await create('bahrain')).code).toBe(403);
      expect((await ask(anna, 'bahrain', { clusters: ['bahrain*'], ticket: 'RISK-1' })).code).toBe(201);
      expect((await create('bahrain')).code).toBe(403);

      const approve = (person: HttpClient): Promise<Answer> => person.post(`${WAIVERS}/bahrain/approve`, {});
      expect([(await approve(olga)).code, (await approve(anna)).code]).toEqual([403, 403]);
      expect((await approve(anna)).body.message).toContain('another person than the one who asked');
      expect((await create('bahrain')).code).toBe(403);

      expect((await approve(arno)).code).toBe(201);
      expect((await create('bahrain')).code).toBe(201);
      expect((await create('elsewhere')).code).toBe(403);
    });

    it('is shown by kubectl with who, until when and what about', async () => {
      const table = await eventually(async () => {
        const printed = await kubectl.ok(['get', 'polw', '-o', 'wide']);
        expect(printed).toContain('InForce');
        return printed;
      }, WAIT);
      expect(table).toMatch(
        /NAME +POLICIES +CLUSTERS +READY +STATE +EXPIRES +REQUESTED-BY +APPROVED-BY +TICKET +REASON +AGE/,
      );
      expect(table).toMatch(/bahrain +cluster-region-allowed +bahrain\* +True +InForce +\S+ +anna +arno +RISK-1/);
      const described = await kubectl.ok(['describe', 'polw', 'bahrain']);
      expect(described).toMatch(/Approved By: +arno/);
      await eventually(async () => {
        const { items } = (await olga.get(EVENTS)).body as unknown as { items: { reason: string }[] };
        expect(items.map(({ reason }) => reason).sort()).toEqual(['Approved', 'ExpiresSoon']);
      }, WAIT);
    });

    it('is explained by kubectl, and refused with the field and what to do', async () => {
      expect(await kubectl.ok(['explain', 'policywaiver.spec.expiresAt'])).toContain(
        'From then on the rules hold again',
      );
      const { code, body } = await ask(olga, 'wrong', {
        policies: ['no-such-rule'],
        expiresAt: '2020-01-01T00:00:00Z',
      });
      expect([code, body.details.causes.map(({ field }) => field)]).toEqual([422, ['spec.expiresAt', 'spec.policies']]);
    });

    it('holds again at once when the waiver is taken back', async () => {
      expect((await create('bahrain-2', '?dryRun=All')).code).toBe(201);
      await kubectl.ok(['create', '--raw', `${WAIVERS}/bahrain/revoke`, '-f', '-'], { input: '{}' });
      expect((await create('bahrain-2')).code).toBe(403);
    });
  });
}
