import { createHash } from 'node:crypto';
import type { PolicyReviewRequest } from '@crate/api';
import { canonicalJson } from '@crate/resource-server';
import { readsOf } from '../rule/rule-reads.js';
import type { CompiledPolicy } from '../rule/compiled-policy.js';
import type { RuleAtHand } from './judge-all.js';
import type { Judgement } from './judge.js';

/** Some kilobytes each: what comes again comes within seconds or minutes. */
const MOST_DOCUMENTS = 2_000;

/** What a rule came to, and on what besides the document that rests. */
interface Kept {
  readonly params: RuleAtHand['params'];
  readonly circumstances: string;
  readonly judgement: Judgement;
}

/**
 * What rules made of documents. A cluster is judged when it is asked for, in the passes that carry it out and for its report: the same document by the
 * same rules, which gives the same each time, because an expression sees nothing but what it is given.
 */
export class RememberedJudgements {
  private readonly documents = new Map<string, Map<CompiledPolicy, Kept>>();

  constructor(private readonly most = MOST_DOCUMENTS) {}

  /** What is known of a document; undefined for plans, which are large and seldom the same. */
  of(request: PolicyReviewRequest): JudgementsOfDocument | undefined {
    if (request.stage === 'TerraformPlan') return undefined;
    const key = digestOf(request.stage, request.operation === 'DELETE', request.document);
    const known = this.documents.get(key) ?? new Map<CompiledPolicy, Kept>();
    // Added anew, so that what nobody asked about for the longest time is the first to go.
    this.documents.delete(key);
    this.documents.set(key, known);
    const [oldest] = this.documents.keys();
    if (this.documents.size > this.most && oldest !== undefined) this.documents.delete(oldest);
    return new JudgementsOfDocument(request, known);
  }
}

/** What rules made of one document. */
export class JudgementsOfDocument {
  private before: string | undefined;
  private asked: string | undefined;

  constructor(
    private readonly request: PolicyReviewRequest,
    private readonly known: Map<CompiledPolicy, Kept>,
  ) {}

  /** Undefined unless this very rule, with these params, has judged the document in such circumstances. */
  find({ rule, params }: RuleAtHand): Judgement | undefined {
    const compilation = rule.compilations.get(this.request.stage);
    const kept = compilation?.ok ? this.known.get(compilation.policy) : undefined;
    if (kept?.params !== params) return undefined;
    return kept.circumstances === this.circumstancesOf(rule) ? kept.judgement : undefined;
  }

  keep({ rule, params }: RuleAtHand, judgement: Judgement): void {
    const compilation = rule.compilations.get(this.request.stage);
    if (!compilation?.ok) return;
    this.known.set(compilation.policy, { params, circumstances: this.circumstancesOf(rule), judgement });
  }

  /** What a rule may see besides the document and what is made of it. */
  private circumstancesOf({ policy }: RuleAtHand['rule']): string {
    const { oldObject, request } = readsOf(policy.spec);
    return `${oldObject ? this.replaced() : ''} ${request ? this.askedFor() : ''}`;
  }

  private replaced(): string {
    return (this.before ??= digestOf(this.request.oldDocument));
  }

  private askedFor(): string {
    const { document: _document, oldDocument: _oldDocument, ...asked } = this.request;
    return (this.asked ??= digestOf(asked));
  }
}

/** Of what is stored, members come in another order than of what is sent; no rule may go by it. */
function digestOf(...values: readonly unknown[]): string {
  return createHash('sha256').update(canonicalJson(values)).digest('base64');
}
