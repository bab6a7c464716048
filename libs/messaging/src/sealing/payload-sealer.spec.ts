import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureKeyPair, FileKeyStore, rotateSealingKey } from '@crate/auth';
import { Confidential, splitBody } from './confidential.js';
import { PayloadSealer, type SealBinding } from './payload-sealer.js';

const BINDING: SealBinding = {
  direction: 'request',
  subject: 'crate.cloud-mgmt.resources.create',
  sender: 'lifecycle',
  recipient: 'cloud-mgmt',
  requestId: 'a',
};
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'crate-sealer-'));
  for (const service of ['lifecycle', 'cloud-mgmt', 'cluster-mgmt']) await ensureKeyPair(directories(), service);
});

afterEach(async () => rm(root, { recursive: true, force: true }));

function directories(): { privateDir: string; trustDir: string } {
  return { privateDir: join(root, 'private'), trustDir: join(root, 'trust') };
}

function sealer(service: string): PayloadSealer {
  return new PayloadSealer(service, new FileKeyStore(directories(), service));
}

describe('PayloadSealer', () => {
  it('gives the receiver what the sender sealed, and nobody anything else', () => {
    const text = sealer('lifecycle').seal({ key: 'hunter2' }, BINDING);
    expect(text).not.toContain('hunter2');
    expect(sealer('cloud-mgmt').open(text, BINDING)).toEqual({ key: 'hunter2' });
    expect(() => sealer('cluster-mgmt').open(text, BINDING)).toThrow(expect.objectContaining({ code: 'Unavailable' }));
  });

  it('never seals alike twice', () => {
    expect(sealer('lifecycle').seal('x', BINDING)).not.toBe(sealer('lifecycle').seal('x', BINDING));
  });

  it.each([
    { direction: 'answer' as const },
    { subject: 'crate.cloud-mgmt.resources.update' },
    { sender: 'cluster-mgmt' },
    { requestId: 'b' },
  ])('does not open for another $direction$subject$sender$requestId', (change) => {
    const text = sealer('lifecycle').seal('x', BINDING);
    const open = (): unknown => sealer('cloud-mgmt').open(text, { ...BINDING, ...change });
    expect(open).toThrow(expect.objectContaining({ code: 'BadRequest' }));
  });

  it.each([0, 1, 2, 3])('does not open when its part %i was changed', (part) => {
    const parts = sealer('lifecycle').seal('secret', BINDING).split('.');
    const before = parts[part] ?? '';
    parts[part] = (before.startsWith('A') ? 'B' : 'A') + before.slice(1);
    expect(() => sealer('cloud-mgmt').open(parts.join('.'), BINDING)).toThrow(/^(?!.*secret$)/);
  });

  it.each(['', 'v1', 'v1...', 'v1.x.y.z'])('refuses what is no sealed text: %j', (text) => {
    expect(() => sealer('cloud-mgmt').open(text, BINDING)).toThrow();
  });

  it('sends nothing to a service that has published no key', () => {
    const seal = (): unknown => sealer('lifecycle').seal('x', { ...BINDING, recipient: 'policy-mgmt' });
    expect(seal).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ reason: 'SealingKeyMissing' }) }),
    );
  });

  it('opens what was sealed before its key was replaced', async () => {
    const [sender, receiver] = [sealer('lifecycle'), sealer('cloud-mgmt')];
    const before = sender.seal('x', BINDING);
    await rotateSealingKey(directories(), 'cloud-mgmt');
    expect(receiver.open(before, BINDING)).toBe('x');
    expect(receiver.open(sealer('lifecycle').seal('y', BINDING), BINDING)).toBe('y');
  });
});

describe('Confidential', () => {
  it('fails instead of becoming text', () => {
    expect(() => JSON.stringify({ a: new Confidential('x') })).toThrow(expect.objectContaining({ code: 'Invariant' }));
  });

  it('is taken out of a body', () => {
    const body = { type: 'a', object: new Confidential({ b: 1 }) };
    expect(splitBody(body)).toEqual({ open: { type: 'a' }, secret: { object: { b: 1 } } });
  });

  it.each([undefined, 'text', { plain: true }])('leaves a body without secrets as it is: %j', (body) => {
    expect(splitBody(body).open).toBe(body);
  });
});
