import type { PolicyOperation, PolicyReviewRequest } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { noteJudged, type JudgedDocument } from './judged-together.js';

function judged(
  name: string,
  operation: PolicyOperation | undefined,
  allowed: boolean,
  remember = true,
): JudgedDocument {
  const subject = { namespace: 'team-a', cluster: 'demo', name };
  const request: PolicyReviewRequest = { stage: 'Manifest', document: {}, subject, remember };
  return { request: { ...request, ...(operation ? { operation } : {}) }, response: { allowed, violations: [] } };
}

interface Row {
  readonly name: string;
  readonly documents: readonly JudgedDocument[];
  readonly isPart?: boolean;
  readonly want: readonly string[];
  readonly reason: string;
}

const ROWS: readonly Row[] = [
  {
    name: 'all that is allowed',
    documents: [judged('a', 'CREATE', true), judged('b', 'UPDATE', true)],
    want: ['note a', 'note b'],
    reason: 'It enters.',
  },
  {
    name: 'what stands, allowed or not',
    documents: [judged('a', undefined, true), judged('b', undefined, false)],
    want: ['note a', 'note b'],
    reason: 'It is there; what breaks a rule that came later is in reports until it is gone.',
  },
  {
    name: 'nothing new of an add-on that is denied, and what it was to change as it is',
    documents: [judged('a', 'CREATE', true), judged('b', 'UPDATE', true), judged('c', 'UPDATE', false)],
    want: ['renew b', 'renew c'],
    reason: 'None of it enters, and what runs is what was there before.',
  },
  {
    name: 'nothing new of a part',
    documents: [judged('a', 'CREATE', true), judged('b', 'UPDATE', true)],
    isPart: true,
    want: ['renew b'],
    reason: 'Another part may be denied.',
  },
  {
    name: 'nothing that is not to be',
    documents: [judged('a', undefined, true, false), judged('b', 'UPDATE', false, false)],
    want: [],
    reason: 'Whoever asks says so.',
  },
];

describe('noteJudged', () => {
  it.each(ROWS)('remembers $name', ({ documents, isPart, want }) => {
    const done: string[] = [];
    const memory = {
      note: ({ subject }: PolicyReviewRequest) => void done.push(`note ${subject.name}`),
      renew: ({ subject }: PolicyReviewRequest) => void done.push(`renew ${subject.name}`),
    };
    noteJudged(memory, { judged: documents, isPart });
    expect(done).toEqual(want);
  });
});
