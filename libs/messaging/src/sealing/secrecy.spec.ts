import { describe, expect, it } from '@jest/globals';
import { API_KEY, CLOUD_ACCOUNT, CLUSTER, INFRASTRUCTURE, KUBERNETES_CLUSTER } from '@crate/api';
import { secrecyOf } from './secrecy.js';

describe('secrecyOf', () => {
  it.each([
    { kind: CLOUD_ACCOUNT, hasSecretFields: true, secret: [] },
    { kind: INFRASTRUCTURE, hasSecretFields: false, secret: [] },
    { kind: CLUSTER, hasSecretFields: false, secret: ['kubeconfig'] },
    { kind: KUBERNETES_CLUSTER, hasSecretFields: false, secret: ['kubeconfig'] },
    { kind: API_KEY, hasSecretFields: false, secret: ['token'] },
  ])('knows what of a $kind.kind nobody may read', ({ kind, hasSecretFields, secret }) => {
    const found = secrecyOf(kind);
    expect(found.hasSecretFields).toBe(hasSecretFields);
    expect([...found.secretSubresources]).toEqual(expect.arrayContaining(secret));
  });

  it('reads the schema of an announced kind, however deep the field is', () => {
    const { body: _body, ...rest } = INFRASTRUCTURE;
    const password = { type: 'string', writeOnly: true };
    const schema = { properties: { spec: { items: { anyOf: [{ properties: { password } }] } } } };
    expect(secrecyOf({ ...rest, schema }).hasSecretFields).toBe(true);
    expect(secrecyOf({ ...rest, schema: {} }).hasSecretFields).toBe(false);
  });

  it('is computed once', () => {
    expect(secrecyOf(CLUSTER)).toBe(secrecyOf(CLUSTER));
  });
});
