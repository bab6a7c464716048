import { describe, expect, it } from '@jest/globals';
import { marketplaceStatus, type MarketplaceFacts } from './marketplace-status.js';

const NOW = new Date('2026-11-22T12:30:00Z');
const LEDGER = { open: 0, lastSent: new Date('2026-11-22T11:00:00Z'), refused: 0, lost: 0 };
const SOLD = { dimension: 'clusters', quantity: 10, expiresAt: new Date('2027-01-01T00:00:00Z') };
const CONTRACT = { ledger: LEDGER, dimension: 'clusters', clusters: 11 };

describe('marketplaceStatus', () => {
  it.each<{ name: string; given: MarketplaceFacts; want: string; says?: string }>([
    { name: 'nothing has happened yet', given: {}, want: 'Waiting' },
    { name: 'an hour was told', given: { ledger: LEDGER }, want: 'Reported' },
    { name: 'it is registered', given: { isRegistered: true }, want: 'Reported' },
    {
      name: 'AWS is away',
      given: { ledger: LEDGER, failure: 'No answer' },
      want: 'NotReported',
      says: 'served as ever',
    },
    {
      name: 'hours were lost',
      given: { ledger: { ...LEDGER, lost: 2, refused: 1 } },
      want: 'HoursMissed',
      says: '3 hours',
    },
    { name: 'enough was bought', given: { ...CONTRACT, entitled: [SOLD, { ...SOLD, quantity: 1 }] }, want: 'Reported' },
    {
      name: 'too little was bought',
      given: { ...CONTRACT, entitled: [SOLD] },
      want: 'NotEntitled',
      says: '10 were bought',
    },
    {
      name: 'what was bought has ended',
      given: { ...CONTRACT, entitled: [{ ...SOLD, expiresAt: NOW }] },
      want: 'NotEntitled',
    },
    {
      name: 'another dimension was bought',
      given: { ...CONTRACT, entitled: [{ ...SOLD, dimension: 'a' }] },
      want: 'NotEntitled',
    },
    {
      name: 'without a number, any number',
      given: { ...CONTRACT, entitled: [{ ...SOLD, quantity: undefined }] },
      want: 'Reported',
    },
  ])('when $name', ({ given, want, says = '' }) => {
    const { reason, message } = marketplaceStatus(given, NOW);
    expect(reason).toBe(want);
    expect(message).toContain(says);
  });

  it('tells what is open, and the last hour', () => {
    expect(marketplaceStatus({ ledger: { ...LEDGER, open: 3 } }, NOW)).toMatchObject({
      openHours: 3,
      lastReportedHour: '2026-11-22T11:00:00.000Z',
    });
  });
});
