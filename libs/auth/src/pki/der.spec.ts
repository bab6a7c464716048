import { describe, expect, it } from '@jest/globals';
import { insideOf, integer, objectId, octets, partsOf, sequence, time } from './der.js';

describe('DER', () => {
  it.each([
    { bytes: [0], hex: '020100' },
    { bytes: [0, 0, 0x7f], hex: '02017f' },
    { bytes: [0x80], hex: '02020080' },
    { bytes: [0, 0xff, 1], hex: '020300ff01' },
  ])('writes the number of $bytes shortest, and positive', ({ bytes, hex }) => {
    expect(integer(Buffer.from(bytes)).toString('hex')).toBe(hex);
  });

  it.each([
    { id: '2.5.4.3', hex: '0603550403' },
    { id: '1.2.840.113549.1.1.11', hex: '06092a864886f70d01010b' },
    { id: '1.2.840.10045.4.3.2', hex: '06082a8648ce3d040302' },
  ])('writes the identifier $id', ({ id, hex }) => expect(objectId(id).toString('hex')).toBe(hex));

  it.each([
    { date: '2026-01-02T03:04:05.678Z', type: 0x17, text: '260102030405Z' },
    { date: '2049-12-31T23:59:59Z', type: 0x17, text: '491231235959Z' },
    { date: '2050-01-01T00:00:00Z', type: 0x18, text: '20500101000000Z' },
  ])('writes the time $date with a year that is read as it was meant', ({ date, type, text }) => {
    const written = time(new Date(date));
    expect([written[0], insideOf(written).toString()]).toEqual([type, text]);
  });

  it.each([0, 1, 0x7f, 0x80, 0xff, 0x1_00, 0xff_ff, 0x1_00_00])('reads what it wrote, of %i bytes', (length) => {
    const [first, second] = [octets(Buffer.alloc(length, 1)), integer(Buffer.of(5))];
    expect(partsOf(sequence(first, second))).toEqual([first, second]);
    expect(insideOf(first)).toHaveLength(length);
  });

  it('refuses what is cut off', () => {
    const whole = sequence(octets(Buffer.alloc(300)));
    expect(() => partsOf(whole.subarray(0, -1))).toThrow('cut off');
    expect(() => partsOf(Buffer.from('3003020205', 'hex'))).toThrow('cut off');
  });
});
