import { objectDifference } from '@crate/terraform';
import { describe, expect, it } from '@jest/globals';
import { aBundle, anRkeState } from '../testing/an-rke-state.js';
import { engineStateFacts, restoredEngineStateFacts } from './engine-state-facts.js';
import { engineStateObjects } from './engine-state-objects.js';

const SECRET = 'correct-horse-battery';

function difference(from: Uint8Array, to: Uint8Array): ReturnType<typeof objectDifference> {
  return objectDifference(engineStateObjects(from), engineStateObjects(to));
}

describe('the difference of engine states', () => {
  it('tells of machines, certificates and settings', () => {
    const bundle = aBundle();
    const before = anRkeState({ nodes: ['a'], bundle });
    const after = anRkeState({ nodes: ['a', 'b'], bundle, settings: { kubernetesVersion: 'v1.31.5' } });
    const { resources } = difference(before, after);
    expect(resources.map(({ address, action }) => `${address} ${action}`)).toEqual([
      'node.b added',
      'setting.kubernetesVersion changed',
    ]);
    expect(resources[0]?.changes).toContainEqual({ path: 'address', after: '10.0.0.1' });
    expect(difference(before, before).resources).toEqual([]);
  });

  it('tells whether a run has brought about what is wanted, not everything twice', () => {
    const wanted = anRkeState({ nodes: ['a'], isApplied: false });
    expect(difference(wanted, anRkeState({ nodes: ['a'] })).resources).toEqual([
      {
        ...{ address: 'state.rke', type: 'state', name: 'rke', action: 'changed' },
        changes: [{ path: 'applied', before: false, after: true }],
      },
    ]);
  });

  it('knows certificates by what they say, and shows no key', () => {
    const [old, renewed] = [aBundle(), aBundle()];
    const shown = JSON.stringify(difference(anRkeState({ bundle: old }), anRkeState({ bundle: renewed })));
    expect(shown).toContain('"path":"fingerprint"');
    expect(shown).toContain('"path":"key","before":"(sensitive value)","after":"(sensitive value)"');
    expect(shown).not.toContain('PRIVATE KEY');
    expect(shown).not.toContain(old['kube-ca']!.keyPEM.split('\n')[1]);
  });

  it.each([
    { name: 'manifests', settings: { addons: SECRET } },
    { name: 'credentials of the cloud', settings: { cloudProvider: { customCloudProvider: SECRET } } },
    { name: 'credentials of registries', settings: { privateRegistries: [{ url: 'u', password: SECRET }] } },
    { name: 'the kubeconfig of a webhook', settings: { authentication: { webhook: { configFile: SECRET } } } },
    { name: 'keys of backups', settings: { services: { etcd: { backupConfig: { s3: { secretKey: SECRET } } } } } },
    { name: 'the key that secrets are encrypted with', rest: { encryptionConfig: { providers: SECRET } } },
    { name: 'kubeconfigs beside certificates', bundle: { x: { certificatePEM: 'x', keyPEM: '', config: SECRET } } },
    { name: 'a certificate that is none', bundle: { x: { certificatePEM: SECRET, keyPEM: '', config: '' } } },
  ])('masks $name, and says that it changed', ({ name: _name, ...given }) => {
    const [without, with_] = [anRkeState({}), anRkeState(given)];
    for (const [from, to] of [
      [without, with_],
      [with_, without],
    ] as const) {
      const found = difference(from, to);
      expect(found.resources.length).toBeGreaterThan(0);
      expect(JSON.stringify(found)).not.toContain(SECRET);
    }
  });

  it.each(['', 'nonsense', '[]', '{}', '{"desiredState":{"rkeConfig":"?"}}'])('finds nothing in %j', (text) => {
    expect(difference(Buffer.from(text), Buffer.from('{}')).resources).toEqual([]);
  });
});

describe('the facts of an engine state', () => {
  it('say which cluster it is of, by its authority, and what is known of it', () => {
    const bundle = aBundle();
    const facts = engineStateFacts(anRkeState({ nodes: ['a', 'b'], bundle }), 'run-1');
    const lineage = expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(facts).toEqual({ lineage, version: 'v1.31.4', nodes: 2, certificates: 1, run: 'run-1' });
    expect(engineStateFacts(anRkeState({ bundle: aBundle() }), 'r')['lineage']).not.toBe(facts['lineage']);
    const edit = { by: 'ada', reason: 'INC-7', restored: 3 };
    expect(restoredEngineStateFacts(anRkeState({ bundle }), edit)).toMatchObject({
      ...edit,
      lineage: facts['lineage'],
    });
  });

  it('of what is no state of RKE say who wrote it', () => {
    expect(engineStateFacts(Buffer.from('{"serial":1}'), 'run-1')).toEqual({ run: 'run-1' });
    expect(engineStateFacts(Buffer.from('nonsense'), 'run-1')).toEqual({ run: 'run-1' });
  });
});
