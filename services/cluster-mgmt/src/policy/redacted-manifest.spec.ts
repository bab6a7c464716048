import type { Manifest } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { redactedManifest } from './redacted-manifest.js';

const MASK = '(sensitive value)';
const SECRET = {
  ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
  metadata: {
    name: 'login',
    namespace: 'apps',
    labels: { app: 'docs' },
    annotations: {
      note: 'x',
      'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"aHVudGVyMg=="}}',
    },
  },
  data: { password: 'aHVudGVyMg==', user: 'YWRtaW4=' },
  stringData: { token: 'hunter2' },
} satisfies Manifest;

describe('redactedManifest', () => {
  it('sends the keys of a Secret, and none of its values', () => {
    const sent = redactedManifest(SECRET);
    expect(sent).toEqual({
      ...SECRET,
      metadata: {
        ...SECRET.metadata,
        annotations: { note: 'x', 'kubectl.kubernetes.io/last-applied-configuration': MASK },
      },
      data: { password: MASK, user: MASK },
      stringData: { token: MASK },
    });
    expect(JSON.stringify(sent)).not.toMatch(/hunter2|aHVudGVyMg|YWRtaW4/);
  });

  it('does the same within a List', () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'pages' }, data: { index: 'hello' } };
    const list = { apiVersion: 'v1', kind: 'List', metadata: { name: 'all' }, items: [SECRET, config, 'text'] };
    expect(redactedManifest(list)['items']).toEqual([redactedManifest(SECRET), config, 'text']);
  });

  it.each([null, 'aHVudGVyMg=='])('lets nothing through that is no Secret as it should be: %p', (data) => {
    const manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data };
    expect(redactedManifest(manifest)['data']).toBe(MASK);
  });

  it('leaves everything else as it is', () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'pages' }, data: { index: 'hello' } };
    expect(redactedManifest(config)).toBe(config);
  });
});
