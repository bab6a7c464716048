import { createHash } from 'node:crypto';
import type { PolicyOperation, PolicyReviewRequest } from '@crate/api';
import { canonicalJson } from '@crate/resource-server';
import { requestOf } from '../document/bindings.js';
import { readsOf, type RuleReads } from '../rule/rule-reads.js';
import type { CompiledPolicy } from '../rule/compiled-policy.js';
import type { RuleAtHand } from './judge-all.js';
import type { Judgement } from './judge.js';

/**
 * One for each content of what some rules read at a stage. By the rules that ship, a Cluster like no other fills up to eight and its engine's
 * configuration up to fourteen; an update fills two anew for what was there before. What comes again comes within seconds or minutes.
 */
const MOST_SHELVES = 6_000;

/** What a rule came to, and by which params. */
interface Kept {
  readonly params: RuleAtHand['params'];
  readonly judgement: Judgement;
}

/** What rules made of reviews that are alike in all that they read. A rule that was changed goes from shelves that stay. */
type Shelf = WeakMap<CompiledPolicy, Kept>;

/**
 * What rules made of documents. A cluster is judged when it is asked for, in the passes that carry it out and for its report, and many clusters of a fleet
 * are alike but for their names: the same parts of a document by the same rules give the same each time, because an expression sees nothing but what it is given.
 */
export class RememberedJudgements {
  private readonly shelves = new Map<string, Shelf>();

  constructor(private readonly most = MOST_SHELVES) {}

  /** What is known of a document; undefined for plans, which are large and seldom the same. */
  of(request: PolicyReviewRequest): JudgementsOfDocument | undefined {
    return request.stage === 'TerraformPlan'
      ? undefined
      : new JudgementsOfDocument(request, (key) => this.shelfOf(key));
  }

  private shelfOf(key: string): Shelf {
    const known = this.shelves.get(key) ?? new WeakMap<CompiledPolicy, Kept>();
    // Added anew, so that what nobody asked about for the longest time is the first to go.
    this.shelves.delete(key);
    this.shelves.set(key, known);
    const [oldest] = this.shelves.keys();
    if (this.shelves.size > this.most && oldest !== undefined) this.shelves.delete(oldest);
    return known;
  }
}

/** What rules made of one document, or of what they read of it. */
export class JudgementsOfDocument {
  private readonly shelves = new Map<string, Shelf>();
  private readonly digests = new Map<string, string>();
  private seen: Readonly<Record<string, unknown>> | undefined;

  constructor(
    private readonly review: PolicyReviewRequest,
    private readonly shelfOf: (key: string) => Shelf,
  ) {}

  /** Undefined unless this very rule, with these params, has judged what it reads of the document and of who asks for what. */
  find({ rule, params }: RuleAtHand): Judgement | undefined {
    const compilation = rule.compilations.get(this.review.stage);
    const kept = compilation?.ok ? this.shelfFor(rule).get(compilation.policy) : undefined;
    return kept?.params === params ? kept.judgement : undefined;
  }

  keep({ rule, params }: RuleAtHand, judgement: Judgement): void {
    const compilation = rule.compilations.get(this.review.stage);
    if (compilation?.ok) this.shelfFor(rule).set(compilation.policy, { params, judgement });
  }

  private shelfFor({ policy }: RuleAtHand['rule']): Shelf {
    const { stage, operation } = this.review;
    const paths = pathsOf(readsOf(policy.spec), operation);
    const name = paths.join();
    const known = this.shelves.get(name);
    if (known) return known;
    const digests = paths.map((path) => this.digestAt(path));
    const shelf = this.shelfOf([stage, operation === 'DELETE', name, ...digests].join(' '));
    this.shelves.set(name, shelf);
    return shelf;
  }

  private digestAt(path: string): string {
    const known = this.digests.get(path);
    if (known !== undefined) return known;
    const { document, oldDocument } = this.review;
    this.seen ??= { object: document, oldObject: oldDocument, request: requestOf(this.review) };
    const digest = digestOf(partOf(this.seen, path.split('.')));
    this.digests.set(path, digest);
    return digest;
  }
}

/** Of a deletion the document is what was there before, and not in parts. */
function pathsOf({ paths }: RuleReads, operation: PolicyOperation | undefined): readonly string[] {
  return operation === 'DELETE' ? ['object', ...paths.filter((path) => !path.startsWith('object'))] : paths;
}

/** What stands at a path, or at how many steps of it there is nothing more to go into: an absent member is another thing than one that is null. */
function partOf(document: unknown, path: readonly string[]): readonly unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return ['is', document];
  const isMap = typeof document === 'object' && document !== null && !Array.isArray(document);
  if (!isMap) return ['no map', document, path.length];
  if (!Object.hasOwn(document, name)) return ['absent', path.length];
  return partOf((document as Readonly<Record<string, unknown>>)[name], rest);
}

/** Of what is stored, members come in another order than of what is sent; no rule may go by it. */
function digestOf(...values: readonly unknown[]): string {
  return createHash('sha256').update(canonicalJson(values)).digest('base64');
}
