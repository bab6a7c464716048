import { PROJECT, type ApiKey, type Project } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { aProject, apiKey, person } from '../testing/a-project.js';
import { anApiKey, Found } from '../testing/an-api-key.js';
import { apiKeyAdmission } from './api-key.admission.js';
import { callerOfKey } from './api-key.caller.js';

const MACHINE = apiKey('team-a', 'admin');
const SCOPE = { resources: ['apikeys'], verbs: ['get', 'patch', 'create'] };
const SCOPED = callerOfKey(anApiKey({ role: 'admin', scope: SCOPE }), 'id');
const SOON = '2030-01-01T00:00:00Z';
const LATER = '2031-01-01T00:00:00Z';

const hook = apiKeyAdmission({
  projects: new Found<Project>(aProject('team-a')),
  maxLifetimeMs: 365 * 86_400_000,
  now: () => Date.parse('2026-01-01T00:00:00Z'),
});

async function write(object: ApiKey, oldObject: ApiKey | undefined, caller = MACHINE): Promise<unknown> {
  const context = { caller, traceId: 't' };
  if (!oldObject) return hook({ operation: 'CREATE', object, context, dryRun: false });
  return hook({ operation: 'UPDATE', object, oldObject, context, dryRun: false });
}

describe(`an API key that changes keys of its ${PROJECT.kind}`, () => {
  it.each([
    { name: 'takes a scope away', from: { scope: SCOPE }, to: {}, field: 'spec.scope' },
    { name: 'raises a role', from: { role: 'viewer' }, to: { role: 'admin' }, field: 'spec.role' },
    { name: 'makes its tokens live longer', from: {}, to: { lifetime: '90d' }, field: 'spec.lifetime' },
    { name: 'takes an end away', from: { expiresAt: SOON }, to: {}, field: 'spec.expiresAt' },
    { name: 'moves an end', from: { expiresAt: SOON }, to: { expiresAt: LATER }, field: 'spec.expiresAt' },
    { name: 'enables a key again', from: { disabled: true }, to: {}, field: 'spec.disabled' },
  ])('is refused when it $name', async ({ from, to, field }) => {
    await expect(write(anApiKey(to), anApiKey(from))).rejects.toMatchObject({
      code: 'Forbidden',
      details: { causes: [{ field }] },
    });
    await expect(write(anApiKey(to), anApiKey(from), person('anna'))).resolves.toBeDefined();
  });

  it.each([
    { name: 'disables a key', from: {}, to: { disabled: true } },
    { name: 'gives a key an end', from: {}, to: { expiresAt: LATER } },
    { name: 'ends a key sooner', from: { expiresAt: LATER }, to: { expiresAt: SOON } },
    { name: 'says what uses a key', from: {}, to: { description: 'the shop' } },
    { name: 'applies a key as it is', from: { scope: SCOPE }, to: { scope: SCOPE } },
  ])('may, when it $name', async ({ from, to }) => {
    await expect(write(anApiKey(to), anApiKey(from))).resolves.toBeDefined();
  });
});

describe('an API key that makes a key', () => {
  it.each([
    { name: 'without a scope', spec: {}, fields: ['spec.scope.resources', 'spec.scope.verbs'] },
    { name: 'with more verbs', spec: { scope: { ...SCOPE, verbs: ['delete'] } }, fields: ['spec.scope.verbs'] },
    { name: 'for everything', spec: { scope: { ...SCOPE, resources: ['*'] } }, fields: ['spec.scope.resources'] },
  ])('is refused when its own scope is narrower: $name', async ({ spec, fields }) => {
    const causes = fields.map((field) => ({ field }));
    await expect(write(anApiKey(spec), undefined, SCOPED)).rejects.toMatchObject({ details: { causes } });
  });

  it('may within its scope', async () => {
    await expect(write(anApiKey({ scope: SCOPE }), undefined, SCOPED)).resolves.toBeDefined();
    await expect(write(anApiKey(), undefined, MACHINE)).resolves.toBeDefined();
  });
});
