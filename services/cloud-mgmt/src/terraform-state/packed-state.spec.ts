import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { packState, unpackState } from './packed-state.js';

describe('a packed state', () => {
  it('is small, and the same when it is unpacked', async () => {
    const resources = Array.from({ length: 2_000 }, (_, index) => ({ type: 'aws_instance', name: `worker-${index}` }));
    const bytes = Buffer.from(JSON.stringify({ version: 4, resources }));
    expect(packState(bytes).length).toBeLessThan(bytes.byteLength / 4);
    expect(Buffer.from(await unpackState(packState(bytes))).equals(bytes)).toBe(true);
  });

  it.each([
    { name: 'no gzip', packed: Buffer.from('{}').toString('base64') },
    { name: 'nothing', packed: '' },
    { name: 'more than any state has', packed: gzipSync(Buffer.alloc(65 * 1024 * 1024)).toString('base64') },
  ])('of $name is refused', async ({ packed }) => {
    await expect(unpackState(packed)).rejects.toMatchObject({ code: 'BadRequest' });
  });
});
