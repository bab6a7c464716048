import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PolicyConsequence, PolicyImpact } from '@crate/api';
import type { RuleReviewer } from '@crate/policy-engine';
import type { DocumentRepository } from '../memory/document.repository.js';
import type { RememberedDocument } from '../memory/remembered-document.js';
import type { RuleSource } from '../report/rule-source.js';
import {
  concernsProject,
  consequenceFor,
  stagesOf,
  type ConsequenceKind,
  type DocumentConsequence,
  type PolicyChange,
} from './policy-change.js';

/** Documents that are told one by one, of each kind of consequence. */
const TOLD = 100;

export interface PolicyImpactsOptions {
  readonly documents: Pick<DocumentRepository, 'open'>;
  readonly rules: RuleSource;
  readonly reviewer: RuleReviewer;
  readonly now?: () => number;
}

/** Says what a change of a rule would lead to, from what is remembered. Only this rule is judged by, as it is and as it is to be. */
export class PolicyImpacts {
  constructor(private readonly options: PolicyImpactsOptions) {}

  /** Never takes much longer than `withinMs`: what was not judged by then is left out, and the answer says so. One document is judged in any case. */
  async of(change: PolicyChange, withinMs: number): Promise<PolicyImpact> {
    const { documents, rules, reviewer } = this.options;
    await rules.ensureFresh();
    const found = new Findings();
    const endMs = this.nowMs() + withinMs;
    const inProject = (project: string): boolean => concernsProject(change, project);
    for await (const document of documents.open({ stages: stagesOf(change), inProject })) {
      if (this.nowMs() > endMs && !found.isEmpty) return found.impact(true);
      const { namespace, stage } = document.key;
      const { waivers = [] } = rules.inForce(stage, namespace);
      found.add(document, consequenceFor(change, document.request, { reviewer, waivers }));
      // Reviews, which somebody waits for, come in between.
      await nextTurn();
    }
    return found.impact(false);
  }

  private nowMs(): number {
    return this.options.now?.() ?? performance.now();
  }
}

class Findings {
  private documents = 0;
  private readonly told: Record<ConsequenceKind, PolicyConsequence[]> = {
    newlyDenied: [],
    newlyWarned: [],
    noLonger: [],
  };
  private readonly counts: Record<ConsequenceKind, number> = { newlyDenied: 0, newlyWarned: 0, noLonger: 0 };
  private readonly denied = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.documents === 0;
  }

  add({ key }: RememberedDocument, consequence: DocumentConsequence | undefined): void {
    this.documents += 1;
    if (!consequence) return;
    const { kind, violation } = consequence;
    const { namespace: project, cluster, stage, name } = key;
    this.counts[kind] += 1;
    if (this.told[kind].length < TOLD) {
      const { field, message } = violation;
      this.told[kind].push({ project, cluster, stage, kind: key.kind, name, field, message });
    }
    if (kind !== 'newlyDenied') return;
    this.denied.set(project, (this.denied.get(project) ?? new Set()).add(cluster));
  }

  impact(incomplete: boolean): PolicyImpact {
    const clusters = [...this.denied.values()].reduce((sum, names) => sum + names.size, 0);
    const { documents, told, counts } = this;
    const impact = { documents, clusters, projects: this.denied.size, ...told, counts, incomplete };
    return { ...impact, summary: summaryOf(impact) };
  }
}

function summaryOf(impact: Omit<PolicyImpact, 'summary'>): string {
  const { clusters, projects, counts, documents, incomplete } = impact;
  const parts = [
    ...(clusters > 0 ? [`would newly deny ${count(clusters, 'cluster')} in ${count(projects, 'project')}`] : []),
    ...(counts.newlyWarned > 0 ? [`would newly warn of ${count(counts.newlyWarned, 'document')}`] : []),
    ...(counts.noLonger > 0 ? [`would no longer object to ${count(counts.noLonger, 'document')}`] : []),
  ];
  const what = parts.length === 0 ? 'would change nothing' : parts.join(', ');
  return `${what} (${count(documents, 'document')} judged${incomplete ? ', the time was over before the rest' : ''})`;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
