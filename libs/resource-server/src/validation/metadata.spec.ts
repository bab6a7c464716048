import { describe, expect, it } from '@jest/globals';
import { formatPath } from './field-error.js';
import { checkMetadata } from './metadata.js';

function badFields(metadata: Record<string, unknown>, format: Parameters<typeof checkMetadata>[1] = 'dnsSubdomain') {
  return checkMetadata({ name: 'ok', ...metadata }, format).map((error) => formatPath(error.path));
}

describe('checkMetadata', () => {
  it.each([
    { name: 'a', format: 'dnsSubdomain', ok: true },
    { name: 'a.b-c.1', format: 'dnsSubdomain', ok: true },
    { name: '', format: 'dnsSubdomain', ok: false },
    { name: 'A', format: 'dnsSubdomain', ok: false },
    { name: '-a', format: 'dnsSubdomain', ok: false },
    { name: 'a..b', format: 'dnsSubdomain', ok: false },
    { name: 'a'.repeat(254), format: 'dnsSubdomain', ok: false },
    { name: 'a.b', format: 'dnsLabel', ok: false },
    { name: 'a'.repeat(64), format: 'dnsLabel', ok: false },
    { name: 'system:node', format: 'pathSegment', ok: true },
    { name: 'a/b', format: 'pathSegment', ok: false },
    { name: '..', format: 'pathSegment', ok: false },
  ] as const)('takes the name "$name" as $format: $ok', ({ name, format, ok }) => {
    expect(badFields({ name }, format)).toEqual(ok ? [] : ['metadata.name']);
  });

  it.each([
    { key: 'app', value: 'web', ok: true },
    { key: 'app.kubernetes.io/name', value: '', ok: true },
    { key: 'app', value: 'not ok', ok: false },
    { key: 'app', value: 'a'.repeat(64), ok: false },
    { key: 'not ok', value: 'x', ok: false },
    { key: 'UPPER.io/x', value: 'x', ok: false },
    { key: 'a/b/c', value: 'x', ok: false },
    { key: 'app', value: 1, ok: false },
  ])('takes the label $key=$value: $ok', ({ key, value, ok }) => {
    expect(badFields({ labels: { [key]: value } })).toHaveLength(ok ? 0 : 1);
  });

  it('takes any text in annotations up to a size', () => {
    expect(badFields({ annotations: { note: 'anything goes: {}\n' } })).toEqual([]);
    expect(badFields({ annotations: { note: 'x'.repeat(256 * 1024) } })).toEqual(['metadata.annotations']);
    expect(badFields({ annotations: { 'bad key': 'x' } })).toEqual(['metadata.annotations[bad key]']);
  });

  it('takes qualified finalizers', () => {
    expect(badFields({ finalizers: ['cloud.crate.dev/infrastructures', 'foregroundDeletion'] })).toEqual([]);
    expect(badFields({ finalizers: ['not ok', 1] })).toEqual(['metadata.finalizers[0]', 'metadata.finalizers[1]']);
  });

  it('takes complete owner references with one controller', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u', controller: true };
    expect(badFields({ ownerReferences: [owner] })).toEqual([]);
    expect(badFields({ ownerReferences: [{ ...owner, uid: '' }] })).toEqual(['metadata.ownerReferences[0].uid']);
    expect(badFields({ ownerReferences: [owner, { ...owner, uid: 'v' }] })).toEqual(['metadata.ownerReferences']);
  });

  it.each(['labels', 'annotations', 'finalizers', 'ownerReferences'])('refuses %s of another type', (field) => {
    expect(badFields({ [field]: 'text' })).toEqual([`metadata.${field}`]);
  });
});
