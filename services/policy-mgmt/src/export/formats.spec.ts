import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '@crate/resource-server';
import { NO_COUNTS } from '../report/assessment.js';
import { csvOf } from './csv.js';
import { waiverEnd, type EvidenceResult, type SealedEvidence } from './evidence.js';
import { htmlOf } from './html.js';
import { pdfOf } from './pdf.js';
import { sarifOf } from './sarif.js';

const HOSTILE = '<script>alert("x")</script>';

function aResult(changes: Partial<EvidenceResult> = {}): EvidenceResult {
  return {
    project: 'team-a',
    cluster: 'demo',
    policy: 'region',
    title: 'Clusters are in Frankfurt',
    result: 'fail',
    level: 'must',
    severity: 'high',
    effect: 'deny',
    stage: 'ClusterSpec',
    resource: 'lifecycle.crate.dev/v1alpha1/Cluster team-a/demo',
    field: 'spec.region',
    message: 'Region is Paris',
    remedy: 'Use eu-central-1',
    references: 'NIST 800-53 AC-4',
    waiver: '',
    since: '2026-11-22T10:00:00.000Z',
    ...changes,
  };
}

const EVIDENCE: SealedEvidence = {
  scope: { kind: 'Cluster', project: 'team-a', cluster: 'demo' },
  generatedAt: '2026-11-22T12:00:00.000Z',
  generatedBy: 'vera',
  clusters: 1,
  documents: 4,
  judgedAt: '2026-11-22T11:00:00.000Z',
  rulesDigest: 'r'.repeat(64),
  summary: { ...NO_COUNTS, pass: 1, fail: 1, skip: 1 },
  frameworks: [
    {
      framework: 'NIST 800-53',
      controls: { ...NO_COUNTS, fail: 1 },
      details: [
        {
          control: 'AC-4',
          status: 'fail',
          rules: [{ policy: 'region', title: 'T', status: 'fail', documents: { ...NO_COUNTS, fail: 1 } }],
        },
      ],
    },
  ],
  rules: (['region', 'size', 'tidy'] as const).map((policy, index) => ({
    policy,
    title: `Title of ${policy}`,
    description: '',
    level: (['must', 'should', 'may'] as const)[index] ?? 'must',
    severity: 'high',
    enforcement: 'enforce',
    category: 'custom',
    generation: 3,
    revision: 'a'.repeat(64),
    remedy: `Remedy of ${policy}`,
    references: ['NIST 800-53 AC-4'],
    status: (['fail', 'skip', 'pass'] as const)[index] ?? 'pass',
    documents: NO_COUNTS,
  })),
  results: [
    aResult(),
    aResult({ policy: 'size', level: 'should', result: 'skip', waiver: 'for-now', message: HOSTILE }),
    aResult({ policy: 'tidy', level: 'may', result: 'warn', message: '=HYPERLINK("http://x")', field: 'a,b\n"c"' }),
  ],
  omitted: 7,
  waivers: [
    {
      name: 'for-now',
      policies: ['size'],
      clusters: [],
      fields: [],
      reason: 'Load tests are thrown away',
      ticket: 'RISK-1',
      requestedBy: 'ada',
      approvedBy: 'vera',
      approvedAt: '2026-11-01T00:00:00Z',
      expiresAt: '2027-03-31T00:00:00Z',
    },
    {
      name: 'no-more',
      policies: ['size'],
      clusters: [],
      fields: [],
      reason: 'Was a mistake',
      ticket: '',
      requestedBy: 'ada',
      approvedBy: 'vera',
      approvedAt: '2026-11-01T00:00:00Z',
      expiresAt: '2027-03-31T00:00:00Z',
      revoked: { by: 'eve', at: '2026-11-20T00:00:00Z' },
    },
  ],
  digest: 'd'.repeat(64),
};

describe('CSV', () => {
  const lines = csvOf(EVIDENCE).split('\r\n');

  it('has a head, a line for each finding and one for each rule that nothing breaks', () => {
    expect(lines[0]).toBe(
      'project,cluster,policy,title,result,level,severity,effect,stage,resource,field,message,remedy,references,waiver,since',
    );
    expect(lines[1]).toBe(
      'team-a,demo,region,Clusters are in Frankfurt,fail,must,high,deny,ClusterSpec,lifecycle.crate.dev/v1alpha1/Cluster team-a/demo,spec.region,Region is Paris,Use eu-central-1,NIST 800-53 AC-4,,2026-11-22T10:00:00.000Z',
    );
    expect(lines.at(-2)).toBe('team-a,demo,tidy,Title of tidy,pass,may,high,,,,,,,NIST 800-53 AC-4,,');
    expect(lines.at(-1)).toBe('');
  });

  it('quotes what needs it, and makes text of formulas', () => {
    expect(lines[3]).toContain(`"a,b\n""c""","'=HYPERLINK(""http://x"")"`);
  });

  it.each(['=1', '+1', '-1', '@a', '\tx'])('does not let %j run', (message) => {
    expect(csvOf({ ...EVIDENCE, results: [aResult({ message })] })).toContain(`'${message}`);
  });
});

describe('SARIF', () => {
  const [run] = sarifOf(EVIDENCE).runs;

  it('describes each rule, with what to do', () => {
    expect(run?.tool.driver.rules?.[0]).toMatchObject({
      id: 'region',
      shortDescription: { text: 'Title of region' },
      help: { text: 'Remedy of region' },
      defaultConfiguration: { level: 'error' },
      properties: { tags: ['NIST 800-53 AC-4'], 'security-severity': '8.0' },
    });
  });

  it('tells each finding at its level and its place', () => {
    expect(run?.results?.map(({ ruleId, ruleIndex, level }) => [ruleId, ruleIndex, level])).toEqual([
      ['region', 0, 'error'],
      ['size', 1, 'warning'],
      ['tidy', 2, 'note'],
    ]);
    expect(run?.results?.[0]?.locations?.[0]).toMatchObject({
      physicalLocation: {
        artifactLocation: { uri: 'team-a/demo/lifecycle.crate.dev/v1alpha1/Cluster/team-a/demo' },
      },
      logicalLocations: [{ name: 'spec.region' }],
    });
  });

  it('suppresses what is waived, and says why and by whom', () => {
    const suppressions = run?.results?.map((result) => result.suppressions?.[0]);
    expect(suppressions?.[0]).toBeUndefined();
    expect(suppressions?.[1]).toEqual({
      kind: 'external',
      status: 'accepted',
      justification: expect.stringMatching(/^Load tests are thrown away .*vera.*2027-03-31/),
    });
  });

  const fingerprints = (...messages: readonly string[]): unknown[] => {
    const results = messages.map((message, day) => aResult({ message, since: `2026-03-0${day + 1}T00:00:00Z` }));
    const [only] = sarifOf({ ...EVIDENCE, results }).runs;
    return only?.results?.map(({ partialFingerprints }) => partialFingerprints?.['crate/v1']) ?? [];
  };

  it.each([
    { name: 'names', messages: ['Volume a', 'Volume b'] },
    { name: 'names with numbers', messages: ['Volume a-1', 'Volume a-2'] },
    { name: 'numbers', messages: ['Port 80', 'Port 443'] },
  ])('tells findings apart that a scanner would take for one: $name', ({ messages }) => {
    expect(new Set(fingerprints(...messages)).size).toBe(2);
  });

  it('lets a scanner know a finding again, whatever comes and goes beside it', () => {
    const [first, second] = fingerprints('Volume a', 'Volume b');
    expect([fingerprints('Volume a'), fingerprints('Volume b')]).toEqual([[first], [second]]);
    expect(fingerprints('About 5 dollars', 'Volume a')[0]).toBe(fingerprints('About 17 dollars')[0]);
    expect(fingerprints('Port 80', 'Port 443')[0]).toBe(fingerprints('Port 80')[0]);
  });

  it('says that a waiver was taken back after what it covered was judged', () => {
    const [only] = sarifOf({ ...EVIDENCE, results: [aResult({ waiver: 'no-more' })] }).runs;
    expect(only?.results?.[0]?.suppressions?.[0]).toMatchObject({
      status: 'rejected',
      justification: expect.stringMatching(/^Was a mistake .*Revoked by eve 2026-11-20/),
    });
  });
});

describe('waiverEnd', () => {
  const at = '2026-11-20T00:00:00Z';
  it.each([
    { given: {}, want: '' },
    { given: { revoked: { by: 'eve', at } }, want: `Revoked by eve ${at}` },
    { given: { revoked: { by: '', at: '' } }, want: 'Revoked, it cannot be read by whom' },
    { given: { deletedAt: at }, want: `Deleted ${at}` },
  ])('is "$want"', ({ given, want }) => {
    expect(waiverEnd(given)).toBe(want);
  });
});

describe('HTML', () => {
  const html = htmlOf(EVIDENCE);

  it.each([
    ['who asked when', '2026-11-22T12:00:00.000Z by vera'],
    ['the rules in force', 'r'.repeat(64)],
    ['the digest', 'd'.repeat(64)],
    ['findings', 'Region is Paris'],
    ['what is left out', '7 further findings'],
    ['waivers with their reason', 'Load tests are thrown away'],
    ['who approved them', 'vera 2026-11-01T00:00:00Z'],
    ['who took one back', 'Revoked by eve 2026-11-20T00:00:00Z'],
    ['frameworks', 'NIST 800-53'],
    ['the revision of each rule', `3 ${'a'.repeat(16)}`],
    ['numbers under their headings', '<th class="n">Pass</th>'],
    ['times as people read them', '<span>2027-03-31</span> <span>00:00:00Z</span>'],
  ])('tells %s', (_, text) => {
    expect(html).toContain(text);
  });

  it('needs nothing from elsewhere, and runs nothing', () => {
    expect(html).not.toMatch(/src=|href=|@import|url\(/);
    expect(html).not.toContain(HOSTILE);
    expect(html.match(/<script/g)).toEqual(['<script']);
    expect(html).toContain('<script type="application/json" id="evidence">');
  });

  it('holds the evidence that its digest is of', () => {
    const hash = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
    const { digest: _digest, ...rest } = EVIDENCE;
    const page = htmlOf({ ...rest, digest: hash(rest) });
    const [, embedded = ''] = /id="evidence">(.*?)<\/script>/s.exec(page) ?? [];
    const [, shown] = /SHA-256 of this evidence<\/dt><dd>([0-9a-f]+)/.exec(page) ?? [];
    expect(hash(JSON.parse(embedded))).toBe(shown);
  });
});

describe('PDF', () => {
  /** Text as the standard fonts write it: hexadecimal pieces of Latin-1. */
  function textOf(pdf: Uint8Array): string {
    const source = Buffer.from(pdf).toString('latin1');
    const lines = source.match(/\[[^\]]*\] TJ/g) ?? [];
    return lines.map((one) => (one.match(/<[0-9a-f]*>/g) ?? []).map((hex) => decoded(hex)).join('')).join('\n');
  }
  const decoded = (hex: string): string => Buffer.from(hex.slice(1, -1), 'hex').toString('latin1');

  it('is one, and tells what the page tells', async () => {
    const pdf = await pdfOf(EVIDENCE, { compress: false });
    expect(Buffer.from(pdf.subarray(0, 5)).toString()).toBe('%PDF-');
    const text = textOf(pdf);
    for (const expected of [
      'Policy evidence: Cluster team-a/demo',
      'Generated: 2026-11-22T12:00:00.000Z by vera',
      'FAIL region (high) in team-a/demo',
      'WAIVED size',
      'NIST 800-53: controls 0 pass, 1 fail',
      'Load tests are thrown away (RISK-1)',
      'Revoked by eve 2026-11-20T00:00:00Z',
      '7 further findings are not printed.',
      'page 1 of 1',
    ]) {
      expect(text).toContain(expected);
    }
  });

  it('goes on over pages, and numbers them', async () => {
    const results = Array.from({ length: 200 }, (_, index) => aResult({ message: `Finding ${index} – “ö” 你` }));
    const text = textOf(await pdfOf({ ...EVIDENCE, results }, { compress: false }));
    expect(text).toMatch(/page 1 of (1\d|[5-9])$/m);
    expect(text).toContain('Finding 199 - "ö" ?');
  });
});
