import { createCipheriv, generateKeyPairSync, randomBytes, X509Certificate, type KeyObject } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, describe, expect, it } from '@jest/globals';
import { LOOKS_OF_GRACE, sharedBy, spansOf, type WorkSpan } from '../watch/lock-sampler.js';
import { replay } from './cloud-journal.js';
import { engineStateOf, kubeconfigOf } from './engine-state.js';
import { LeakScan, needlesOf } from './leaks.js';
import { openRecord, type SealedRow } from './sealed-record.js';
import { stateOf } from './secrets.js';

const line = (key: string, value?: unknown): string => `${JSON.stringify({ key, value })}\n`;

describe('the journal of the simulated cloud', () => {
  it('gives what is left after all changes', () => {
    const text = [
      line('object/1/aws_vpc/vpc-1', { id: 'vpc-1' }),
      line('address/public', 7),
      line('object/1/aws_vpc/vpc-2', { id: 'vpc-2' }),
      line('object/1/aws_vpc/vpc-1', { id: 'vpc-1', changed: true }),
      line('object/1/aws_vpc/vpc-2'),
    ].join('');
    expect([...replay(text).values()]).toEqual([{ id: 'vpc-1', changed: true }]);
  });

  it('does not count a last line that was cut off', () => {
    const text = line('object/a', { id: 'a' }) + line('object/b', { id: 'b' }).slice(0, -5);
    expect([...replay(text).values()]).toEqual([{ id: 'a' }]);
  });
});

describe('a sealed record', () => {
  const key = randomBytes(32);
  const keys = new Map([['k1', key]]);

  it('opens under its own owner, kind, serial and facts', () => {
    expect(openRecord(seal('state', { lineage: 'a', serial: 3 }), keys).toString()).toBe('state');
    expect(openRecord(seal('credentials', null), keys).toString()).toBe('credentials');
    expect(openRecord({ ...seal('state', { fence: '7' }), epoch: '7' }, keys).toString()).toBe('state');
    expect(openRecord(seal('state', { fence: '' }), keys).toString()).toBe('state');
  });

  it.each([
    { reason: 'another owner', change: { owner_uid: 'other' } },
    { reason: 'another version', change: { serial: 2 } },
    { reason: 'other facts', change: { facts: { lineage: 'b', serial: 3 } } },
    { reason: 'a byte that was changed', change: { ciphertext: Buffer.from('stake') } },
    { reason: 'a key that is not there', change: { key_id: 'k2' } },
    { reason: 'another epoch than it is bound to', change: { epoch: '6' } },
    { reason: 'its epoch taken off', change: { epoch: null } },
  ])('does not open with $reason', ({ change }) => {
    const row = { ...seal('state', { lineage: 'a', serial: 3, fence: '7' }), epoch: '7', ...change };
    expect(() => openRecord(row, keys)).toThrow();
  });

  function seal(content: string, facts: SealedRow['facts']): SealedRow {
    const sorted = facts && Object.entries(facts).sort(([left], [right]) => (left < right ? -1 : 1));
    const binding = ['owner', 'terraform-state', 1, ...(sorted ? [sorted] : [])];
    const dataKey = randomBytes(32);
    const wrapped = encrypt(dataKey, key, binding);
    const sealed = encrypt(Buffer.from(content), dataKey, [...binding, 'k1']);
    const named = { owner_uid: 'owner', kind: 'terraform-state', serial: 1, epoch: null, key_id: 'k1', facts };
    return { ...named, ...sealed, wrapped_key: Buffer.concat([wrapped.iv, wrapped.tag, wrapped.ciphertext]) };
  }

  function encrypt(plain: Buffer, by: Buffer, binding: unknown): Pick<SealedRow, 'iv' | 'tag' | 'ciphertext'> {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', by, iv).setAAD(Buffer.from(JSON.stringify(binding)));
    const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
    return { iv, tag: cipher.getAuthTag(), ciphertext };
  }
});

describe('a Terraform state', () => {
  it('knows managed objects, one for each instance', () => {
    const instances = [{ attributes: { id: 'i-1' } }, { attributes: { id: 'i-2' } }];
    const resources = [
      { mode: 'managed', type: 'aws_instance', name: 'worker', instances },
      { mode: 'data', type: 'aws_ami', name: 'image', instances: [{ attributes: { id: 'ami-1' } }] },
    ];
    const bytes = Buffer.from(JSON.stringify({ serial: 4, lineage: 'a', resources }));
    expect(stateOf({ owner_uid: 'o', serial: 2 }, bytes)).toMatchObject({
      owner: 'o',
      version: 2,
      serial: 4,
      resources: [
        { address: 'aws_instance.worker', id: 'i-1' },
        { address: 'aws_instance.worker', id: 'i-2' },
      ],
    });
  });
});

describe('the authority of a cluster', () => {
  const FACTS = { owner_uid: 'o', serial: 2, facts: null };
  const stateWith = (pem: string): Buffer =>
    Buffer.from(JSON.stringify({ desiredState: { certificatesBundle: { 'kube-ca': { certificatePEM: pem } } } }));
  const pem = rootCertificates[0] ?? '';
  const fingerprint = new X509Certificate(pem).fingerprint256;

  it('is read from the state of its engine, and there is none before there are certificates', () => {
    const facts = { lineage: fingerprint };
    const want = { owner: 'o', version: 2, authority: fingerprint };
    expect(engineStateOf({ ...FACTS, facts }, stateWith(pem))).toEqual(want);
    expect(engineStateOf(FACTS, stateWith(pem))).toEqual(want);
    expect(engineStateOf({ ...FACTS, facts: { run: 'r' } }, Buffer.from('{}')).authority).toBeUndefined();
  });

  it('is no other one than is written beside the state', () => {
    expect(() => engineStateOf({ ...FACTS, facts: { lineage: 'AA:BB' } }, stateWith(pem))).toThrow('AA:BB');
    expect(() => engineStateOf({ ...FACTS, facts: { lineage: 'AA:BB' } }, Buffer.from('{}'))).toThrow('AA:BB');
  });

  it('is read from kubeconfigs', () => {
    const cluster = { 'certificate-authority-data': Buffer.from(pem).toString('base64') };
    const content = Buffer.from(JSON.stringify({ clusters: [{ cluster }] }));
    expect(kubeconfigOf(FACTS, content)).toMatchObject({ owner: 'o', version: 2, authority: fingerprint });
  });
});

describe('what a Terraform state says', () => {
  const of = (resources: object, outputs = {}): string =>
    stateOf({ owner_uid: 'o', serial: 1 }, Buffer.from(JSON.stringify({ serial: 8, lineage: 'a', outputs, resources })))
      .substance;
  const vpc = { mode: 'managed', type: 'aws_vpc', name: 'vpc', instances: [{ attributes: { id: 'vpc-1' } }] };

  it('is the same with resources that have no instances, and another one with any other difference', () => {
    expect(of([vpc, { ...vpc, name: 'husk', instances: [] }])).toBe(of([vpc]));
    expect(of([{ ...vpc, instances: [{ attributes: { id: 'vpc-2' } }] }])).not.toBe(of([vpc]));
    expect(of([vpc], { a: 1 })).not.toBe(of([vpc]));
  });
});

const pemOf = (key: KeyObject, type: 'pkcs1' | 'sec1' | 'pkcs8'): string =>
  key.export({ type, format: 'pem' }).toString();

/** As PROTOCOL.key of OpenSSH has it: 161 bytes that are alike but for the public half, then the secret and the public half again. */
function sshKey(): string {
  const blob = Buffer.concat([Buffer.alloc(161, 'openssh-key-v1'), randomBytes(64), Buffer.alloc(40, 'comment')]);
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

describe('what is looked for as a secret', () => {
  it.each([
    {
      kind: 'credentials',
      content: '{"secretAccessKey":"canary/0123456789/abcdef"}',
      want: 'canary/0123456789/abcdef',
    },
    {
      kind: 'a token of a kubeconfig',
      content: 'user:\n  token: eyJhbGciOi.JIUzI1NiJ9_x',
      want: 'eyJhbGciOi.JIUzI1NiJ9',
    },
  ])('comes from $kind', ({ content, want }) => {
    expect(needlesOf(content).some((needle) => needle.includes(want) || want.includes(needle))).toBe(true);
  });

  const KEYS: Readonly<Record<string, () => string>> = {
    'of SSH': sshKey,
    'of RSA': () => pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'pkcs1'),
    'of an elliptic curve': () => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'sec1'),
    'of an elliptic curve, as PKCS #8': () =>
      pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'pkcs8'),
  };

  it.each(Object.entries(KEYS))('is of one key %s alone, in JSON as well', (_of, make) => {
    const [one, other] = [make(), make()];
    const needles = needlesOf(JSON.stringify({ key: one }));
    expect(needles).not.toEqual([]);
    expect(needlesOf(one)).toEqual(needles);
    for (const needle of needles) expect([one.includes(needle), other.includes(needle)]).toEqual([true, false]);
  });
});

describe('a look for secrets', () => {
  const directory = mkdtempSync(join(tmpdir(), 'crate-leaks-'));
  mkdirSync(join(directory, 'logs'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const plain = [{ kind: 'credentials', content: Buffer.from('{"secretAccessKey":"canary/0123456789/abcdef"}') }];

  it('that is not due leaves what it was told to the last one', async () => {
    const scan = new LeakScan({ directory, databaseUrl: () => Promise.reject(new Error('Not now')) }, { every: 10 });
    for (let look = 0; look < 5; look += 1) expect(await scan.look(plain)).toEqual([]);
    await expect(scan.lookNow()).rejects.toThrow('Not now');
  });

  it('finds it strange when nothing was heard on NATS', async () => {
    const traffic = { take: () => Buffer.from('INFO {}\r\nPONG\r\n') };
    const scan = new LeakScan({ directory, databaseUrl: () => Promise.resolve('') }, { traffic });
    expect(await scan.look(plain)).toEqual(['nowhere: on NATS nothing was heard']);
  });

  it('finds it strange when there is nothing to look for in what is stored', async () => {
    const scan = new LeakScan({ directory, databaseUrl: () => Promise.resolve('') }, { every: 10 });
    expect(await scan.look([{ kind: 'credentials', content: Buffer.from('{"secret":"x"}') }])).toHaveLength(1);
  });
});

describe('programs at work', () => {
  const NOBODY = new Map<string, string>();
  const span = (workspace: string, pgid: number, from: number, to: number): WorkSpan => ({ workspace, pgid, from, to });
  const grace = LOOKS_OF_GRACE;

  it.each([
    { reason: 'they have workspaces of their own', spans: [span('/w/a', 1, 1, 9), span('/w/b', 3, 1, 9)] },
    { reason: 'one comes after the other', spans: [span('/w/a', 1, 1, 4), span('/w/a', 3, 5, 9)] },
    { reason: 'it is one group', spans: [span('/w/a', 1, 1, 4), span('/w/a', 1, 3, 9)] },
    {
      reason: 'a host that was away has its grace',
      spans: [span('/w/a', 1, 1, 999), span('/w-2/a', 3, 50, 49 + grace)],
    },
  ])('do not share what they work on where $reason', ({ spans }) => {
    expect(sharedBy(spans, NOBODY)).toEqual([]);
  });

  it.each([
    { reason: 'on one host, in one look', spans: [span('/w/a', 1, 1, 5), span('/w/a', 3, 5, 9)], owners: NOBODY },
    {
      reason: 'on two hosts, for longer than the grace',
      spans: [span('/w/workspaces/a', 1, 1, 999), span('/w-2/workspaces/a', 3, 50, 50 + grace)],
      owners: NOBODY,
    },
    {
      reason: 'in two folders of one host, by runs of one cluster',
      spans: [span('/w/run-1', 1, 1, 5), span('/w/run-2', 3, 4, 9)],
      owners: new Map([
        ['run-1', 'a'],
        ['run-2', 'a'],
      ]),
    },
  ])('share it $reason', ({ spans, owners }) => {
    const workspaces = spans.map(({ workspace }) => workspace);
    expect(sharedBy(spans, owners)).toEqual([{ owner: 'a', workspaces, groups: [1, 3] }]);
  });

  it('go on from look to look, and not while they stand still', () => {
    const at = (pid: number, pgid: number, isStopped = false): object => ({ pid, pgid, workspace: '/w/a', isStopped });
    const looks = [[at(1, 1), at(2, 1)], [at(1, 1)], [at(1, 1, true)], [at(1, 1)]] as Parameters<typeof spansOf>[0][];
    let open: readonly WorkSpan[] = [];
    const seen = looks.map((processes, index) => (open = spansOf(processes, open, index)));
    expect(seen).toEqual([[span('/w/a', 1, 0, 0)], [span('/w/a', 1, 0, 1)], [], [span('/w/a', 1, 3, 3)]]);
  });
});
