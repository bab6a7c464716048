import type { JsonObject } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import type { JsonSchema } from '../kinds/json-schema.js';
import { FieldSchema } from './field-schema.js';
import { toFieldsV1 } from './fields-v1.js';
import { type ManagerKey, Managers } from './managed-fields.js';
import { applyFields, trackUpdate } from './ownership.js';

const SCHEMA = new FieldSchema({
  properties: {
    spec: {
      properties: {
        pools: listMap(['name']),
        ports: listMap(['port', 'protocol'], { protocol: { default: 'TCP' } }),
        zones: { 'x-kubernetes-list-type': 'set' },
        selector: { 'x-kubernetes-map-type': 'atomic' },
      },
    },
  },
});

function listMap(keys: string[], properties: Record<string, JsonSchema> = {}): JsonSchema {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items: { properties } };
}

function key(name: string, operation: 'Apply' | 'Update' = 'Apply'): ManagerKey {
  return { name, operation, apiVersion: 'v1', subresource: '' };
}

/** Writes one after another to one object, as several managers would. */
class Scenario {
  object: JsonObject = {};
  managers = Managers.NONE;

  apply(name: string, spec: JsonObject, force = false): this {
    const input = { live: this.object, stated: { spec }, schema: SCHEMA, managers: this.managers, force };
    const result = applyFields({ ...input, applier: key(name) });
    this.object = result.object;
    this.managers = result.managers;
    return this;
  }

  update(name: string, spec: JsonObject): this {
    const after = { spec };
    const options = { schema: SCHEMA, managers: this.managers, updater: key(name, 'Update') };
    this.managers = trackUpdate(this.object, after, options);
    this.object = after;
    return this;
  }

  owned(name: string, operation: 'Apply' | 'Update' = 'Apply'): unknown {
    const manager = this.managers.find(key(name, operation));
    return manager && toFieldsV1(manager.fields);
  }

  get spec(): unknown {
    return this.object.spec;
  }
}

describe('applyFields', () => {
  it('creates an object and owns just what is stated', () => {
    const scenario = new Scenario().apply('a', { size: 3, labels: { x: '1' } });
    expect(scenario.object).toEqual({ spec: { size: 3, labels: { x: '1' } } });
    expect(scenario.owned('a')).toEqual({ 'f:spec': { 'f:size': {}, 'f:labels': { 'f:x': {} } } });
  });

  it('lets two appliers share an object', () => {
    const scenario = new Scenario().apply('a', { size: 3 }).apply('b', { color: 'red' });
    expect(scenario.spec).toEqual({ size: 3, color: 'red' });
    expect(scenario.owned('a')).toEqual({ 'f:spec': { 'f:size': {} } });
  });

  it('lets two appliers own a field on whose value they agree', () => {
    const scenario = new Scenario().apply('a', { size: 3 }).apply('b', { size: 3 });
    expect(scenario.owned('a')).toEqual(scenario.owned('b'));
  });

  it('refuses to change a field of another manager, naming manager and field', () => {
    const scenario = new Scenario().apply('a', { size: 3 });
    expect(() => scenario.apply('b', { size: 4 })).toThrow(
      expect.objectContaining({
        code: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "a": .spec.size',
        details: {
          causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.spec.size' }],
        },
      }),
    );
    expect(scenario.spec).toEqual({ size: 3 });
  });

  it('names every conflict of every manager', () => {
    const scenario = new Scenario()
      .apply('a', { size: 3, color: 'red' })
      .update('u', { size: 3, color: 'red', zone: 1 });
    expect(() => scenario.apply('b', { size: 4, color: 'blue', zone: 2 })).toThrow(
      'Apply failed with 3 conflicts: conflicts with "a":\n- .spec.size\n- .spec.color\nconflict with "u" using v1: .spec.zone',
    );
  });

  it('takes fields over by force', () => {
    const scenario = new Scenario().apply('a', { size: 3, color: 'red' }).apply('b', { size: 4 }, true);
    expect(scenario.spec).toEqual({ size: 4, color: 'red' });
    expect(scenario.owned('a')).toEqual({ 'f:spec': { 'f:color': {} } });
    expect(scenario.owned('b')).toEqual({ 'f:spec': { 'f:size': {} } });
  });

  it('removes a field that its applier no longer states', () => {
    const scenario = new Scenario().apply('a', { size: 3, color: 'red' }).apply('a', { size: 3 });
    expect(scenario.spec).toEqual({ size: 3 });
    expect(scenario.owned('a')).toEqual({ 'f:spec': { 'f:size': {} } });
  });

  it('keeps a field that is no longer stated while another manager owns it', () => {
    const scenario = new Scenario().apply('a', { size: 3 }).apply('b', { size: 3 }).apply('a', {});
    expect(scenario.spec).toEqual({ size: 3 });
    expect(scenario.owned('a')).toEqual({ 'f:spec': {} });
  });

  it('removes an object with all that it holds once nobody owns anything in it', () => {
    const scenario = new Scenario().apply('a', { size: 3, network: { cidr: 'x' } }).apply('a', { size: 3 });
    expect(scenario.spec).toEqual({ size: 3 });
  });

  it('keeps what others own inside an object that its applier gives up', () => {
    const scenario = new Scenario().apply('a', { network: { cidr: 'x' } }).apply('b', { network: { zone: 'y' } });
    expect(scenario.apply('a', {}).spec).toEqual({ network: { zone: 'y' } });
  });

  it('keeps what an updater set inside an object that its applier gives up', () => {
    const scenario = new Scenario().apply('a', { network: { cidr: 'x' } });
    scenario.update('u', { network: { cidr: 'x', zone: 'y' } });
    expect(scenario.apply('a', {}).spec).toEqual({ network: { zone: 'y' } });
  });

  it('gives a field that an updater changed to the updater, and then conflicts', () => {
    const scenario = new Scenario().apply('a', { size: 3 }).update('u', { size: 5 });
    expect(scenario.owned('a')).toBeUndefined();
    expect(scenario.owned('u', 'Update')).toEqual({ 'f:spec': { 'f:size': {} } });
    expect(() => scenario.apply('a', { size: 3 })).toThrow(expect.objectContaining({ code: 'Conflict' }));
    expect(scenario.apply('a', { size: 3 }, true).spec).toEqual({ size: 3 });
    expect(scenario.owned('u', 'Update')).toBeUndefined();
  });

  it('owns an empty object or list that is stated', () => {
    const scenario = new Scenario().apply('a', { emptyDir: {}, tolerations: [] });
    expect(scenario.owned('a')).toEqual({ 'f:spec': { 'f:emptyDir': {}, 'f:tolerations': {} } });
    expect(scenario.apply('a', { other: 1 }).spec).toEqual({ other: 1 });
  });

  it('protects an object from before the first apply', () => {
    const scenario = new Scenario();
    scenario.object = { spec: { size: 3 } };
    expect(() => scenario.apply('a', { size: 4 })).toThrow('conflict with "before-first-apply" using v1: .spec.size');
    expect(scenario.apply('a', { color: 'red' }).spec).toEqual({ size: 3, color: 'red' });
  });

  it.each([
    { what: 'a field', stated: { size: 3, secret: 'a' } },
    { what: 'a field of an object', stated: { size: 3, login: { key: 'a' } } },
    { what: 'a field of an item', stated: { size: 3, pools: [{ name: 'x', key: 'a' }] } },
    { what: 'an item', stated: { size: 3, pools: [{ name: 'x' }, { name: 'y', key: 'a' }] } },
    { what: 'a value of a set', stated: { size: 3, zones: ['a'] } },
  ])('takes $what that the object does not have from whoever owns it all the same', ({ stated }) => {
    const scenario = new Scenario().apply('gone', stated);
    const live = { size: 3, login: {}, pools: [{ name: 'x' }], zones: [] };
    scenario.object = { spec: live };
    expect(() => scenario.apply('b', { ...stated, size: 4 })).toThrow('1 conflict: conflict with "gone": .spec.size');
    expect(scenario.apply('b', stated).spec).toEqual({ ...live, ...stated });
    const kept = JSON.stringify(scenario.owned('gone'));
    expect(kept).toContain('f:size');
    expect(kept).not.toMatch(/secret|key|y|v:/);
  });

  it('states the same again without a change of ownership', () => {
    const scenario = new Scenario().apply('a', { size: 3, pools: [{ name: 'x', replicas: 1 }] });
    const before = scenario.managers.toEntries(Managers.NONE, 'then');
    scenario.apply('a', { size: 3, pools: [{ name: 'x', replicas: 1 }] });
    expect(scenario.managers.toEntries(Managers.parse(before) ?? Managers.NONE, 'now')).toEqual(before);
  });
});

describe('applyFields to list maps', () => {
  const pools = (...names: string[]): JsonObject => ({ pools: names.map((name) => ({ name })) });

  it('owns items by their keys', () => {
    const scenario = new Scenario().apply('a', { pools: [{ name: 'x', replicas: 1 }] });
    expect(scenario.owned('a')).toEqual({
      'f:spec': { 'f:pools': { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:replicas': {} } } },
    });
  });

  it('merges items of several appliers, and fields within one item', () => {
    const scenario = new Scenario()
      .apply('a', { pools: [{ name: 'x', replicas: 1 }] })
      .apply('b', { pools: [{ name: 'y' }, { name: 'x', type: 'large' }] });
    expect(scenario.spec).toEqual({ pools: [{ name: 'y' }, { name: 'x', replicas: 1, type: 'large' }] });
  });

  it('removes an item that its only owner no longer states', () => {
    const scenario = new Scenario().apply('a', pools('x', 'y')).apply('b', pools('z')).apply('a', pools('y'));
    expect(scenario.spec).toEqual({ pools: [{ name: 'y' }, { name: 'z' }] });
  });

  it('removes an item with fields that an updater set in it: the item goes with its owner', () => {
    const scenario = new Scenario().apply('a', { pools: [{ name: 'x' }, { name: 'y' }] });
    scenario.update('u', { pools: [{ name: 'x', replicas: 5 }, { name: 'y' }] });
    expect(scenario.apply('a', pools('y')).spec).toEqual({ pools: [{ name: 'y' }] });
  });

  it('keeps an item while another applier states it, without the fields that only the first stated', () => {
    const scenario = new Scenario().apply('a', { pools: [{ name: 'x', replicas: 1 }] }).apply('b', pools('x'));
    expect(scenario.apply('a', { pools: [{ name: 'y' }] }).spec).toEqual({ pools: [{ name: 'x' }, { name: 'y' }] });
  });

  it('tells items apart by all keys, a missing one counting with its default', () => {
    const scenario = new Scenario().apply('a', { ports: [{ port: 53, protocol: 'UDP' }, { port: 53 }] });
    scenario.apply('b', { ports: [{ port: 53, protocol: 'TCP', name: 'dns' }] });
    expect(scenario.spec).toEqual({
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, name: 'dns', protocol: 'TCP' },
      ],
    });
  });

  it.each([
    { name: 'stated order wins', live: ['a', 'b', 'c'], stated: ['c', 'a'], want: ['b', 'c', 'a'] },
    { name: 'new items stay where they are stated', live: ['a', 'b'], stated: ['a', 'x', 'b'], want: ['a', 'x', 'b'] },
    { name: 'live-only items keep their place', live: ['l', 'a', 'm'], stated: ['a', 'b'], want: ['l', 'a', 'm', 'b'] },
    { name: 'an empty statement changes nothing', live: ['a'], stated: [], want: ['a'] },
  ])('orders items: $name', ({ live, stated, want }) => {
    const scenario = new Scenario().apply('live', pools(...live)).apply('other', pools(...stated));
    expect(scenario.spec).toEqual(pools(...want));
  });
});

describe('applyFields to sets, atomic maps and atomic lists', () => {
  it('merges sets value by value', () => {
    const scenario = new Scenario().apply('a', { zones: ['x', 'y'] }).apply('b', { zones: ['y', 'z'] });
    expect(scenario.spec).toEqual({ zones: ['x', 'y', 'z'] });
    expect(scenario.owned('b')).toEqual({ 'f:spec': { 'f:zones': { 'v:"y"': {}, 'v:"z"': {} } } });
    expect(scenario.apply('a', { other: 1 }).spec).toEqual({ zones: ['y', 'z'], other: 1 });
  });

  it('replaces an atomic object whole, and conflicts on it whole', () => {
    const scenario = new Scenario().apply('a', { selector: { app: 'x', tier: 'y' } });
    expect(scenario.owned('a')).toEqual({ 'f:spec': { 'f:selector': {} } });
    expect(() => scenario.apply('b', { selector: { app: 'z' } })).toThrow('.spec.selector');
    expect(scenario.apply('b', { selector: { app: 'z' } }, true).spec).toEqual({ selector: { app: 'z' } });
  });

  it('replaces a list without a list type whole', () => {
    const scenario = new Scenario().apply('a', { args: ['x', 'y'] }).apply('a', { args: ['z'] });
    expect(scenario.spec).toEqual({ args: ['z'] });
    expect(scenario.owned('a')).toEqual({ 'f:spec': { 'f:args': {} } });
  });

  it('takes a change of type as a change of value', () => {
    const scenario = new Scenario().apply('a', { value: { x: 1 } });
    expect(() => scenario.apply('b', { value: 'text' })).toThrow('conflict with "a": .spec.value.x');
    expect(scenario.apply('a', { value: 'text' }).spec).toEqual({ value: 'text' });
    expect(scenario.owned('a')).toEqual({ 'f:spec': { 'f:value': {} } });
  });
});

describe('trackUpdate', () => {
  it('gives the writer what it added, with the objects on the way', () => {
    const scenario = new Scenario().update('u', { size: 3, network: { cidr: 'x' } });
    expect(scenario.owned('u', 'Update')).toEqual({
      'f:spec': { '.': {}, 'f:size': {}, 'f:network': { '.': {}, 'f:cidr': {} } },
    });
  });

  it('moves only what changed', () => {
    const scenario = new Scenario().update('u', { size: 3, color: 'red' }).update('v', { size: 4, color: 'red' });
    expect(scenario.owned('u', 'Update')).toEqual({ 'f:spec': { '.': {}, 'f:color': {} } });
    expect(scenario.owned('v', 'Update')).toEqual({ 'f:spec': { 'f:size': {} } });
  });

  it('takes what was removed from everyone', () => {
    const scenario = new Scenario().apply('a', { size: 3, color: 'red' }).update('u', { size: 3 });
    expect(scenario.owned('a')).toEqual({ 'f:spec': { 'f:size': {} } });
    expect(scenario.owned('u', 'Update')).toBeUndefined();
  });

  it('tracks list items by their keys', () => {
    const scenario = new Scenario().update('u', { pools: [{ name: 'x', replicas: 1 }] });
    scenario.update('v', { pools: [{ name: 'x', replicas: 2 }] });
    expect(scenario.owned('v', 'Update')).toEqual({
      'f:spec': { 'f:pools': { 'k:{"name":"x"}': { 'f:replicas': {} } } },
    });
  });
});
