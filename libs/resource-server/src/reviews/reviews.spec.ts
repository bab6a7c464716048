import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiServerFixture, startApiServer } from '../fixtures/api-server.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

let server: ApiServerFixture;
beforeEach(async () => {
  server = await startApiServer({ paths: ['/version', '/apis/*'] });
});
afterEach(() => server.close());

async function review(plural: string, body: string | Buffer, options: { type?: string; user?: string } = {}) {
  const { type = 'application/json', user = 'vera' } = options;
  const group = plural === 'selfsubjectreviews' ? 'authentication' : 'authorization';
  const response = await fetch(`${server.url}/apis/${group}.k8s.io/v1/${plural}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user}-token`, 'content-type': type },
    body: body as string,
  });
  return { code: response.status, body: (await response.json()) as { status: Record<string, unknown> } };
}

/** A message as protobuf: numbers to texts or messages, as their tags and lengths. */
function encode(fields: Record<number, string | Buffer>): Buffer {
  return Buffer.concat(
    Object.entries(fields).map(([field, value]) => {
      const bytes = Buffer.from(value as string);
      return Buffer.concat([Buffer.from([(Number(field) << 3) | 2, bytes.length]), bytes]);
    }),
  );
}

function envelope(kind: string, message: Buffer): Buffer {
  const type = encode({ 1: 'authorization.k8s.io/v1', 2: kind });
  return Buffer.concat([Buffer.from('k8s\0'), encode({ 1: type, 2: message, 3: '', 4: '' })]);
}

describe('SelfSubjectAccessReview', () => {
  const attributes = { group: 'lifecycle.crate.dev', resource: 'clusters', namespace: 'team-a' };

  it.each([
    { verb: 'get', allowed: true },
    { verb: 'delete', allowed: false },
  ])('says whether one may $verb: $allowed', async ({ verb, allowed }) => {
    const spec = { resourceAttributes: { ...attributes, verb } };
    const { code, body } = await review('selfsubjectaccessreviews', JSON.stringify({ spec }));
    expect([code, body.status]).toEqual([201, { allowed }]);
  });

  it.each([
    { verb: 'get', allowed: true },
    { verb: 'delete', allowed: false },
  ])('reads protobuf: $verb is $allowed', async ({ verb, allowed }) => {
    const resource = encode({ 1: 'team-a', 2: verb, 3: 'lifecycle.crate.dev', 5: 'clusters' });
    const message = envelope('SelfSubjectAccessReview', encode({ 1: '', 2: encode({ 1: resource }) }));
    const { body } = await review('selfsubjectaccessreviews', message, { type: PROTOBUF });
    expect(body.status).toEqual({ allowed });
  });

  it('asks about paths too', async () => {
    const spec = { nonResourceAttributes: { path: '/metrics', verb: 'get' } };
    expect((await review('selfsubjectaccessreviews', JSON.stringify({ spec }))).body.status).toEqual({ allowed: true });
    const message = envelope(
      'SelfSubjectAccessReview',
      encode({ 2: encode({ 2: encode({ 1: '/metrics', 2: 'put' }) }) }),
    );
    const { body } = await review('selfsubjectaccessreviews', message, { type: PROTOBUF });
    expect(body.status).toEqual({ allowed: false });
  });

  it.each([
    { name: 'nothing to ask', body: '{"spec":{}}', type: 'application/json' },
    { name: 'no review', body: '[]', type: 'application/json' },
    { name: 'no envelope', body: 'nonsense', type: PROTOBUF },
    { name: 'a cut message', body: 'k8s\0\x0a\x7fx', type: PROTOBUF },
    { name: 'an unknown wire type', body: 'k8s\0\x0f', type: PROTOBUF },
  ])('refuses $name', async ({ body, type }) => {
    expect((await review('selfsubjectaccessreviews', body, { type })).code).toBe(400);
  });
});

describe('SelfSubjectRulesReview', () => {
  it('lists what one may do', async () => {
    const { body } = await review('selfsubjectrulesreviews', '{"spec":{"namespace":"team-a"}}');
    expect(body.status).toMatchObject({
      incomplete: false,
      resourceRules: expect.arrayContaining([
        { verbs: ['get', 'list', 'watch'], apiGroups: ['lifecycle.crate.dev'], resources: ['clusters'] },
        { verbs: ['get'], apiGroups: ['lifecycle.crate.dev'], resources: ['clusters/kubeconfig'] },
      ]) as unknown,
    });
  });

  it.each([
    { user: 'vera', rules: [{ verbs: ['get'], nonResourceURLs: ['/version', '/apis/*'] }] },
    { user: 'ada', rules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] },
  ])('lists the paths that $user may read', async ({ user, rules }) => {
    const { body } = await review('selfsubjectrulesreviews', '{"spec":{"namespace":"team-a"}}', { user });
    expect(body.status['nonResourceRules']).toEqual(rules);
  });

  it('needs a namespace', async () => {
    expect((await review('selfsubjectrulesreviews', '{"spec":{}}')).code).toBe(400);
  });
});

describe('SelfSubjectReview', () => {
  it('says who one is', async () => {
    const { body } = await review('selfsubjectreviews', '{}', { user: 'ada' });
    const extra = { 'authentication.example.com/method': ['password'] };
    expect(body.status).toEqual({ userInfo: { username: 'ada', groups: ['platform-admins'], extra } });
    const message = await review('selfsubjectreviews', envelope('SelfSubjectReview', Buffer.alloc(0)), {
      type: PROTOBUF,
    });
    expect(message.body.status).toMatchObject({ userInfo: { username: 'vera' } });
  });
});
