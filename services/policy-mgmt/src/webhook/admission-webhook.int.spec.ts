import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PolicyReviewRequest } from '@crate/api';
import { unavailable } from '@crate/errors';
import { aRule, RuleReviewer, type CataloguedPolicy } from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';
import { TestAuthority } from '@crate/testing';
import { AdmissionWebhook } from './admission-webhook.js';

const PATH = '/admission/v1/projects/team-a/clusters/demo';

interface Answer {
  readonly code: number;
  readonly body: Record<string, unknown> & { readonly response?: Record<string, unknown> };
}

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { hostNetwork: true, containers: [] } };

/** As kube-apiserver 1.31 sends it. */
function reviewOf(request: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      requestKind: { group: '', version: 'v1', kind: 'Pod' },
      requestResource: { group: '', version: 'v1', resource: 'pods' },
      name: 'web',
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: { username: 'ada', groups: ['system:authenticated'], uid: '1' },
      object: POD,
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      ...request,
    },
  };
}

describe('AdmissionWebhook', () => {
  const logger = new InMemoryLogger();
  const reviewer = new RuleReviewer(logger);
  let directory: string;
  let authority: TestAuthority;
  let webhook: AdmissionWebhook;
  let asked: PolicyReviewRequest[];
  let rules: readonly CataloguedPolicy[];
  let failure: Error | undefined;

  async function open(clientCaFile?: string): Promise<AdmissionWebhook> {
    const files = await authority.issue('webhook');
    const config = { ...files, host: '127.0.0.1', port: 0, ...(clientCaFile ? { clientCaFile } : {}) };
    return AdmissionWebhook.open({
      config,
      logger,
      review: async (request) => {
        if (failure) throw failure;
        asked.push(request);
        return reviewer.review(request, { policies: rules });
      },
    });
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-webhook-'));
    authority = await TestAuthority.create(directory);
    webhook = await open();
  });

  afterAll(async () => {
    await webhook.close();
    await rm(directory, { recursive: true, force: true });
  });

  beforeEach(() => {
    asked = [];
    failure = undefined;
    rules = [
      aRule('no-host-network', {
        match: { stages: ['Manifest'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
        matchConditions: [{ name: 'is-there', expression: 'object != null' }],
        validations: [
          {
            forEach: 'pods',
            expression: '!item.spec.?hostNetwork.orValue(false)',
            message: 'Uses the host',
            field: 'spec.hostNetwork',
          },
        ],
        remedy: 'Leave out hostNetwork',
      }),
    ];
  });

  async function send(body: string | object, options: RequestOptions = {}): Promise<Answer> {
    const at = { host: '127.0.0.1', port: webhook.port, ca: authority.certificate, method: 'POST', path: PATH };
    const headers = { 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const sent = httpsRequest({ ...at, headers, agent: false, ...options }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] }));
      });
      sent.on('error', reject);
      sent.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  it('denies with what is wrong, where, and what to do', async () => {
    const { code, body } = await send(reviewOf());
    expect(code).toBe(200);
    expect(body).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: {
        uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
        allowed: false,
        status: {
          code: 403,
          reason: 'Forbidden',
          message:
            'denied by policy: spec.hostNetwork: Uses the host (policy no-host-network, level must): Leave out hostNetwork',
          details: { causes: [{ field: 'spec.hostNetwork' }] },
        },
      },
    });
  });

  it('asks for the Project and cluster of its address, in the namespace of the request', async () => {
    await send(reviewOf());
    expect(asked).toMatchObject([
      {
        stage: 'Manifest',
        operation: 'CREATE',
        subject: { namespace: 'team-a', cluster: 'demo', name: 'web', kind: { group: '', version: 'v1', kind: 'Pod' } },
        document: { metadata: { namespace: 'shop' } },
        userInfo: { username: 'ada', groups: ['system:authenticated'] },
      },
    ]);
  });

  it('allows what no rule objects to, and says nothing else', async () => {
    const { body } = await send(reviewOf({ object: { ...POD, spec: { containers: [] } } }));
    expect(body.response).toEqual({ uid: '705ab4f5-6393-11e8-b7cc-42010a800002', allowed: true });
  });

  it.each([
    { name: 'a connection', request: { operation: 'CONNECT', object: { kind: 'PodExecOptions' } } },
    { name: 'a scale', request: { subResource: 'scale', object: { kind: 'Scale' } } },
    { name: 'a deletion of everything', request: { operation: 'DELETE', object: null, oldObject: null, name: '' } },
  ])('lets $name pass unjudged', async ({ request }) => {
    expect((await send(reviewOf(request))).body.response).toMatchObject({ allowed: true });
    expect(asked).toEqual([]);
  });

  it('judges an ephemeral container, and a deletion by what was there', async () => {
    expect(
      (await send(reviewOf({ subResource: 'ephemeralcontainers', operation: 'UPDATE' }))).body.response,
    ).toMatchObject({
      allowed: false,
    });
    const deletion = await send(reviewOf({ operation: 'DELETE', object: null, oldObject: POD }));
    expect(deletion.body.response).toMatchObject({ allowed: true });
    expect(asked.at(-1)).toMatchObject({ operation: 'DELETE', oldDocument: { kind: 'Pod' } });
  });

  it('denies no update because of what it leaves as it was', async () => {
    const oldObject = { ...POD, metadata: { ...POD.metadata, finalizers: ['batch.kubernetes.io/job-tracking'] } };
    const { body } = await send(reviewOf({ operation: 'UPDATE', oldObject }));
    expect(body.response).toEqual({
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      allowed: true,
      warnings: ['no-host-network: spec.hostNetwork: Uses the host (as it was before): Leave out hostNetwork'],
    });
    const better = { ...POD, spec: { ...POD.spec, hostNetwork: false } };
    expect((await send(reviewOf({ operation: 'UPDATE', oldObject: better }))).body.response).toMatchObject({
      allowed: false,
    });
  });

  it('warns in lines that kubectl shows whole, and keeps for the audit log what nobody is told', async () => {
    const validations = [{ expression: 'false', message: `Bad\n${'x'.repeat(400)}` }];
    rules = [
      aRule('warns', { match: { stages: ['Manifest'] }, level: 'should', validations }),
      aRule('records', { match: { stages: ['Manifest'] }, enforcement: 'dry-run', validations }),
    ];
    const { response } = (await send(reviewOf())).body;
    expect(response).toMatchObject({ allowed: true, auditAnnotations: { 'recorded-violations': 'records' } });
    const [warning] = response?.['warnings'] as string[];
    expect(warning).toHaveLength(256);
    expect(warning).toMatch(/^warns: metadata|^warns: spec: Bad x+…$/);
  });

  it.each([
    { name: 'no JSON', body: '{', code: 400 },
    { name: 'another kind', body: { kind: 'Pod' }, code: 400 },
    { name: 'another version', body: { ...reviewOf(), apiVersion: 'admission.k8s.io/v1beta1' }, code: 400 },
    { name: 'a request without uid', body: reviewOf({ uid: undefined }), code: 400 },
    { name: 'another operation', body: reviewOf({ operation: 'LOOK' }), code: 400 },
    { name: 'too much', body: JSON.stringify({ a: 'x'.repeat(9_000_000) }), code: 413 },
  ])('refuses $name with a Status', async ({ body, code }) => {
    expect(await send(body)).toMatchObject({ code, body: { kind: 'Status', status: 'Failure', code } });
  });

  it('says where to ask to who asks elsewhere', async () => {
    const answer = await send(reviewOf(), { path: '/admission' });
    expect(answer).toMatchObject({ code: 404, body: { message: expect.stringContaining('/admission/v1/projects/') } });
  });

  it('gives no verdict while there is none: the API server then does what its failurePolicy says', async () => {
    failure = unavailable('The policies are not loaded yet');
    expect(await send(reviewOf())).toMatchObject({ code: 503, body: { kind: 'Status' } });
    failure = new Error('secret');
    const answer = await send(reviewOf());
    expect(answer.code).toBe(503);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('answers only who shows a certificate, where that is asked for', async () => {
    const open_ = webhook;
    webhook = await open(authority.certificateFile);
    try {
      await expect(send(reviewOf())).rejects.toThrow(/certificate required|ECONNRESET|socket hang up|EPIPE/);
      const { certificateFile, keyFile } = await authority.issue('kube-apiserver');
      const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
      expect((await send(reviewOf(), { cert, key })).code).toBe(200);
    } finally {
      await webhook.close();
      webhook = open_;
    }
  });
});
