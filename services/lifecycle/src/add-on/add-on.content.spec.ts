import { describe, expect, it } from '@jest/globals';
import type { AddOnContent, Manifest } from '@crate/api';
import { freezeJson } from '@crate/resource-store';
import { CompiledAddOn } from './add-on.content.js';

const SCHEMA = { type: 'object', properties: { replicas: { type: 'integer', minimum: 1, default: 2 } } };
const PREFIX = ['spec', 'values'];

function content(expression = '${values.replicas}'): AddOnContent {
  const manifests: Manifest[] = [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'docs' }, spec: { replicas: expression } },
  ];
  return { version: '1.0.0', dependsOn: [], valuesSchema: SCHEMA, manifests };
}

describe('CompiledAddOn', () => {
  it('compiles content once that nobody can change, and other content each time', () => {
    const frozen = freezeJson(content());
    const open = content();
    expect(CompiledAddOn.of(frozen)).toBe(CompiledAddOn.of(frozen));
    expect(CompiledAddOn.of(open)).not.toBe(CompiledAddOn.of(open));
  });

  it('compiles anew when the same manifests come with another schema', () => {
    const frozen = freezeJson(content());
    const narrower = { ...SCHEMA, properties: { replicas: { type: 'integer', minimum: 3, default: 3 } } };
    const before = CompiledAddOn.of(frozen).compiled;
    const after = CompiledAddOn.of(freezeJson({ ...frozen, valuesSchema: narrower })).compiled;
    expect(before.mistakesOf({ replicas: 2 }, PREFIX).ofValues).toEqual([]);
    expect(after.mistakesOf({ replicas: 2 }, PREFIX).ofValues).toMatchObject([{ path: [...PREFIX, 'replicas'] }]);
    expect(CompiledAddOn.of(frozen).compiled.mistakesOf({ replicas: 2 }, PREFIX).ofValues).toEqual([]);
  });

  it('says of values what is wrong with them as often as it is asked', () => {
    const { compiled } = CompiledAddOn.of(freezeJson(content()));
    for (let round = 0; round < 2; round += 1) {
      expect(compiled.mistakesOf({ replicas: 0 }, PREFIX).ofValues).toMatchObject([{ path: [...PREFIX, 'replicas'] }]);
      expect(compiled.mistakesOf(undefined, PREFIX)).toEqual({ ofValues: [], ofObjects: [] });
    }
  });

  it('blames no values for an object that is written twice: an add-on that was stored so is still taken', () => {
    const [manifest] = content().manifests as [Manifest];
    const { compiled } = CompiledAddOn.of({ ...content(), manifests: [manifest, manifest] });
    expect(compiled.mistakesOf({ replicas: 2 }, PREFIX).ofObjects).toEqual([]);
  });

  it('says what cannot be made of values that fit the schema, as often as it is asked', () => {
    const { compiled } = CompiledAddOn.of(freezeJson(content('${6 / (values.replicas - 4)}')));
    for (let round = 0; round < 2; round += 1) {
      const { ofValues, ofObjects } = compiled.mistakesOf({ replicas: 4 }, PREFIX);
      expect(ofValues).toEqual([]);
      expect(ofObjects).toMatchObject([{ path: ['manifests', 0, 'spec', 'replicas'] }]);
      expect(compiled.mistakesOf({ replicas: 7 }, PREFIX).ofObjects).toEqual([]);
    }
  });
});
