import { describe, expect, it } from '@jest/globals';
import { withoutStatusWrites, type ResourceAttributes } from './authorization.js';

const ROOT = { user: 'root', groups: ['platform-admins'] };
const CLUSTERS: ResourceAttributes = {
  verb: 'get',
  group: 'lifecycle.crate.dev',
  version: 'v1alpha1',
  resource: 'clusters',
  namespace: 'team-a',
  name: 'demo',
};

describe('withoutStatusWrites', () => {
  const authorize = withoutStatusWrites(() => Promise.resolve());

  it.each(['update', 'patch', 'create', 'delete'])('forbids everybody to %s a status', async (verb) => {
    await expect(authorize(ROOT, { ...CLUSTERS, verb, subresource: 'status' })).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringMatching(
        /^clusters.lifecycle.crate.dev "demo" is forbidden: User "root" cannot .* resource "clusters\/status" .*: a status is written by/,
      ) as unknown,
    });
  });

  it.each([
    { what: 'reading a status', attributes: { ...CLUSTERS, subresource: 'status' } },
    { what: 'writing an object', attributes: { ...CLUSTERS, verb: 'update' } },
    { what: 'writing another subresource', attributes: { ...CLUSTERS, verb: 'update', subresource: 'scale' } },
    { what: 'a path', attributes: { verb: 'get', path: '/metrics' } },
  ])('leaves $what to the rules beneath', async ({ attributes }) => {
    await expect(authorize(ROOT, attributes)).resolves.toBeUndefined();
    const nobody = withoutStatusWrites(() => Promise.reject(new Error('beneath')));
    await expect(nobody(ROOT, attributes)).rejects.toThrow('beneath');
  });
});
