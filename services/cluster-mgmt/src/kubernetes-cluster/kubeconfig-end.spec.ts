import { describe, expect, it } from '@jest/globals';
import { toStatus } from '@crate/errors';
import { kubeconfigEnd } from './kubeconfig-end.js';

const NOW = new Date('2026-01-01T00:00:00.500Z');
const IN_TEN_YEARS = new Date('2036-01-01T00:00:00Z');

function endOf(expirationSeconds: string | undefined, authorityEnd = IN_TEN_YEARS): string {
  const query = expirationSeconds === undefined ? {} : { expirationSeconds };
  return kubeconfigEnd(query, NOW, authorityEnd).toISOString();
}

describe('kubeconfigEnd', () => {
  it.each([
    { name: 'a day where nothing is asked for', asked: undefined, want: '2026-01-02T00:00:00.000Z' },
    { name: 'ten minutes at the least', asked: '600', want: '2026-01-01T00:10:00.000Z' },
    { name: 'eight hours', asked: '28800', want: '2026-01-01T08:00:00.000Z' },
    { name: 'a year at the most', asked: '31536000', want: '2027-01-01T00:00:00.000Z' },
  ])('is $name', ({ asked, want }) => {
    expect(endOf(asked)).toBe(want);
  });

  it('is that of the authority where it ends sooner', () => {
    expect(endOf('31536000', new Date('2026-02-01T00:00:00Z'))).toBe('2026-02-01T00:00:00.000Z');
  });

  it.each(['', '599', '31536001', '0', '-600', '600.5', '1e4', '0x1000', ' 600', '8h', 'NaN', '99999999999999999999'])(
    'is nothing for %j, which is told by the name of the parameter',
    (asked) => {
      expect(() => endOf(asked)).toThrow(
        /^expirationSeconds must be a whole number of seconds from 600 .* to 31536000/,
      );
      const status = toStatus(thrownBy(() => endOf(asked)));
      expect(status).toMatchObject({ code: 400, details: { causes: [{ field: 'expirationSeconds' }] } });
    },
  );
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
