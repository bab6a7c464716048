import { describe, expect, it } from '@jest/globals';
import { REDACTED } from '@crate/telemetry';
import { fieldChanges } from './field-changes.js';
import { SecretPlace, type SecretSchema } from './redaction.js';

const WRITE_ONLY = { writeOnly: true };
const SCHEMA: SecretSchema = {
  properties: {
    spec: {
      properties: {
        size: {},
        seed: WRITE_ONLY,
        access: { oneOf: [{ properties: { seed: WRITE_ONLY, url: {} } }, { additionalProperties: WRITE_ONLY }] },
        users: { items: { properties: { pin: WRITE_ONLY, name: {} } } },
      },
    },
  },
};

const created = (spec: unknown): unknown => fieldChanges(undefined, { spec }, SCHEMA).changes[0]?.to;

describe('what a diff shows', () => {
  it('is each field that differs, and no other', () => {
    const { changes } = fieldChanges({ spec: { size: 1, name: 'a' } }, { spec: { size: 2, name: 'a' } }, SCHEMA);
    expect(changes).toEqual([{ path: '/spec/size', from: 1, to: 2 }]);
  });

  it('has no value of a field that the schema calls writeOnly, however deep, each time', () => {
    const users = [
      { name: 'a', pin: '1' },
      { name: 'b', pin: '2' },
    ];
    const shown = {
      size: 1,
      seed: REDACTED,
      users: [
        { name: 'a', pin: REDACTED },
        { name: 'b', pin: REDACTED },
      ],
    };
    for (const _ of [1, 2]) expect(created({ size: 1, seed: 'x', users })).toEqual(shown);
  });

  it('takes a field for secret when one of the alternatives does', () => {
    expect(created({ access: { seed: 'x' } })).toEqual({ access: { seed: REDACTED } });
    expect(created({ access: { url: 'x', anything: 'y' } })).toEqual({ access: { url: REDACTED, anything: REDACTED } });
  });

  it('has no value whose name or shape gives it away, with a schema and without', () => {
    const to = { clientSecret: REDACTED, note: `see https://a:${REDACTED}@b`, toString: 'x' };
    const spec = { clientSecret: 'x', note: 'see https://a:b@b', toString: 'x' };
    expect(created(spec)).toEqual(to);
    expect(fieldChanges(undefined, { spec }).changes[0]?.to).toEqual(to);
  });

  it('keeps nothing of how people nest what no schema knows', () => {
    const unknown = SecretPlace.of({}).member('values');
    expect([unknown.member(0), unknown.member('a'), unknown.member('a').member(0)]).toEqual([
      unknown,
      unknown,
      unknown,
    ]);
    expect(unknown.member('a').member(0)).toBe(unknown);
  });

  it('shows a secret that changed as changed', () => {
    const { changes } = fieldChanges({ spec: { seed: 'x' } }, { spec: { seed: 'y' } }, SCHEMA);
    expect(changes).toEqual([{ path: '/spec/seed', from: REDACTED, to: REDACTED }]);
  });
});
