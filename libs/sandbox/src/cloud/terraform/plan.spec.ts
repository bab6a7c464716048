import { describe, expect, it } from '@jest/globals';
import { planChange, type ChangeRequest } from './plan.js';
import { chosen, computed, conform, defaulted, optional, required, type Block } from './schema.js';
import { UNKNOWN, type Values } from './value.js';

const DISK: Block = {
  attributes: { size: chosen('number'), encrypted: chosen('bool', { forceNew: true }), volume: computed('string') },
};
const BLOCK: Block = {
  attributes: {
    id: computed('string'),
    network: required('string', { forceNew: true }),
    size: required('string'),
    zone: chosen('string', { forceNew: true }),
    delay: defaulted('number', 30),
    groups: optional(['set', 'string'], { forceNew: true }),
    address: computed('string'),
  },
  blocks: { disk: { nesting: 'list', maxItems: 1, block: DISK } },
};

const CONFIG = conform(BLOCK, { network: 'n-1', size: 'small', disk: [{ encrypted: true }] });
const PRIOR = conform(BLOCK, {
  ...CONFIG,
  id: 'i-1',
  zone: 'a',
  delay: 30,
  address: '10.0.0.1',
  disk: [{ encrypted: true, size: 8, volume: 'vol-1' }],
});

/** Terraform's own merge: what is computed and not configured keeps its prior value. */
function proposed(config: Values, prior: Values): Values {
  return { ...prior, ...Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null)) };
}

function update(change: Values, extra: Partial<ChangeRequest> = {}): ReturnType<typeof planChange> {
  const config = { ...CONFIG, ...change };
  const merged = { ...proposed(config, PRIOR), disk: change['disk'] ?? PRIOR['disk'] ?? [] };
  return planChange(BLOCK, { config, prior: PRIOR, proposed: merged, ...extra });
}

describe('planning a new resource', () => {
  const { planned, replacements } = planChange(BLOCK, { config: CONFIG, prior: null, proposed: CONFIG });

  it('leaves open what only the cloud can say', () => {
    expect(planned).toMatchObject({ id: UNKNOWN, address: UNKNOWN, zone: UNKNOWN });
    expect(planned['disk']).toEqual([{ encrypted: true, size: UNKNOWN, volume: UNKNOWN }]);
  });

  it('says what is configured or has a default', () => {
    expect(planned).toMatchObject({ network: 'n-1', size: 'small', delay: 30, groups: null });
    expect(replacements).toEqual([]);
  });
});

describe('planning a change', () => {
  it('of nothing plans nothing', () => {
    expect(update({})).toEqual({ planned: PRIOR, replacements: [] });
  });

  it('in place keeps what the cloud chose', () => {
    const { planned, replacements } = update({ size: 'large' });

    expect(planned).toEqual({ ...PRIOR, size: 'large' });
    expect(replacements).toEqual([]);
  });

  it('falls back to the default when the configuration says no more', () => {
    expect(update({}, { prior: { ...PRIOR, delay: 5 } }).planned['delay']).toBe(30);
  });

  it.each<{ name: string; change: Values; want: string[] }>([
    { name: 'an attribute', change: { network: 'n-2' }, want: ['network'] },
    { name: 'an attribute that is not known yet', change: { network: UNKNOWN }, want: ['network'] },
    { name: 'a chosen attribute', change: { zone: 'b' }, want: ['zone'] },
    { name: 'an attribute of a block', change: { disk: [{ encrypted: false }] }, want: ['disk.0.encrypted'] },
  ])('of $name that cannot change asks for a new resource', ({ change, want }) => {
    const paths = update(change).replacements.map((path) => path.map((step) => Object.values(step)[0] as string));

    expect(paths.map((path) => path.join('.'))).toEqual(want);
  });

  it('of the order within a set is no change', () => {
    const prior = { ...PRIOR, groups: ['a', 'b'] };

    expect(update({ groups: ['b', 'a'] }, { prior }).replacements).toEqual([]);
    expect(update({ groups: ['a', 'c'] }, { prior }).replacements).toHaveLength(1);
  });

  it('leaves open what comes anew with it', () => {
    const recomputed = { size: ['address'] };

    expect(update({ size: 'large' }, { recomputed }).planned['address']).toBe(UNKNOWN);
    expect(update({}, { recomputed }).planned['address']).toBe('10.0.0.1');
  });
});
