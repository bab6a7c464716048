import type { PolicyReviewRequest } from '@crate/api';
import { badRequest } from '@crate/errors';
import { explain, RuleReviewer, type RuleExplanation } from '@crate/policy-engine';
import { InMemoryLogger } from '@crate/telemetry';
import { mistakesOfDocument, requestFor, type Circumstances } from './document-request.js';
import type { RulesAtHand } from './rules-at-hand.js';
import { mappingOf, readYamlFile } from './yaml-files.js';

/** A document, and what every rule says of it. */
export interface EvaluatedDocument {
  /** File and place in it. */
  readonly source: string;
  readonly stage: PolicyReviewRequest['stage'];
  readonly project: string;
  readonly name: string;
  readonly allowed: boolean;
  /** What the API would refuse it for before it asks any rule. */
  readonly mistakes: readonly string[];
  readonly rules: readonly RuleExplanation[];
}

/** Judges every document of files, items of lists included. Throws BadRequest when there is none. */
export async function evaluateFiles(
  paths: readonly string[],
  rules: RulesAtHand,
  circumstances: Circumstances,
): Promise<readonly EvaluatedDocument[]> {
  const reviewer = new RuleReviewer(new InMemoryLogger());
  const evaluated: EvaluatedDocument[] = [];
  for (const { source, document } of await documentsIn(paths)) {
    const request = requestOf(source, document, circumstances);
    const waivers = await rules.waiversIn(request.subject.namespace);
    const { allowed, rules: told } = explain(request, { policies: rules.policies, waivers }, reviewer);
    const { namespace: project, name } = request.subject;
    const mistakes = mistakesOfDocument(request);
    evaluated.push({ source, stage: request.stage, project, name, allowed, mistakes, rules: told });
  }
  return evaluated;
}

interface PlacedDocument {
  readonly source: string;
  readonly document: unknown;
}

async function documentsIn(paths: readonly string[]): Promise<readonly PlacedDocument[]> {
  const files = await Promise.all(paths.map(readYamlFile));
  const all = files.flatMap(({ path, documents }) => {
    const name = path === '-' ? 'standard input' : path;
    const items = documents.flatMap(itemsOf);
    return items.map((document, index) => ({
      source: items.length === 1 ? name : `${name}, document ${index + 1}`,
      document,
    }));
  });
  if (all.length === 0) throw badRequest(`There are no documents in ${paths.join(', ')}`);
  return all;
}

/** What `kubectl get -o yaml` gives of several objects is one list. */
function itemsOf(document: unknown): readonly unknown[] {
  const { kind, items } = mappingOf(document) ?? {};
  return String(kind).endsWith('List') && Array.isArray(items) ? items : [document];
}

function requestOf(source: string, document: unknown, circumstances: Circumstances): PolicyReviewRequest {
  try {
    return requestFor(document, circumstances);
  } catch (error) {
    throw badRequest(`${source}: ${(error as Error).message}`);
  }
}
