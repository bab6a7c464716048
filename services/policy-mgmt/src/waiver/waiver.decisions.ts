import {
  POLICY_WAIVER,
  toTimestamp,
  waiverDecisionRequest,
  type KubeObject,
  type Policy,
  type PolicyWaiver,
} from '@crate/api';
import { conflict, forbidden, hasCode, notFound, type ErrorDetails } from '@crate/errors';
import { nameSome } from '@crate/reconcile';
import type { CallContext, Caller, ResourceRef, SubresourceWrite, TypedClient } from '@crate/resource-client';
import { parsedBody } from '@crate/service-host';
import { coveredRules } from './waiver.coverage.js';
import {
  APPROVALS_ANNOTATION,
  authorityOf,
  factsOf,
  isPerson,
  REVOKED_ANNOTATION,
  stateOf,
  type WaiverFacts,
} from './waiver.facts.js';

/** Each lost race means that somebody else got on. */
const MAX_TRIES = 5;

export interface DecisionPorts {
  /** Acts as this service. */
  readonly waivers: Pick<TypedClient<PolicyWaiver>, 'find' | 'merge'>;
  readonly policies: Pick<TypedClient<Policy>, 'list'>;
  readonly now: () => Date;
  /** How a waiver is shown after the decision. */
  readonly statusOf: (waiver: PolicyWaiver, policies: readonly Policy[]) => PolicyWaiver['status'];
}

/** Annotations to write; undefined: there is nothing to do. */
type Decide = (waiver: PolicyWaiver, policies: readonly Policy[]) => Readonly<Record<string, string>> | undefined;

/** Answers the subresources `approve` and `revoke`. What is decided counts in the next review. */
export class WaiverDecisions {
  constructor(private readonly ports: DecisionPorts) {}

  /**
   * Records who approved the waiver, when, and as whom; doing so again changes nothing. Throws Forbidden for machines, for the person
   * who asked and for somebody who may not have a rule waived, and Conflict for a waiver that has ended.
   */
  approve(object: KubeObject, _ref: ResourceRef, write: SubresourceWrite, { caller }: CallContext): Promise<unknown> {
    return this.decide(object as PolicyWaiver, write, (waiver, policies) => {
      const facts = factsOf(waiver);
      this.requireOpen(waiver, facts);
      requireAnother(waiver, facts, caller);
      requireRight(waiver, policies, caller);
      const as = authorityOf(caller);
      if (facts.approvals.some((given) => given.by === caller.user && given.as === as)) return undefined;
      const approval = { by: caller.user, at: toTimestamp(this.ports.now()), as };
      return { [APPROVALS_ANNOTATION]: JSON.stringify([...facts.approvals, approval]) };
    });
  }

  /** Records who took the waiver back, or refused it, and when; doing so again changes nothing. */
  revoke(object: KubeObject, _ref: ResourceRef, write: SubresourceWrite, { caller }: CallContext): Promise<unknown> {
    return this.decide(object as PolicyWaiver, write, (waiver) => {
      if (factsOf(waiver).revoked) return undefined;
      return { [REVOKED_ANNOTATION]: JSON.stringify({ by: caller.user, at: toTimestamp(this.ports.now()) }) };
    });
  }

  /** Decides anew when somebody else wrote in between: a status, or another approval. */
  private async decide(first: PolicyWaiver, { body, dryRun }: SubresourceWrite, decide: Decide): Promise<PolicyWaiver> {
    const { uid = first.metadata.uid } = parsedBody(waiverDecisionRequest, body);
    let waiver = first;
    for (let tries = 1; ; tries += 1) {
      requireSame(waiver, uid);
      const policies = await this.ports.policies.list();
      const annotations = decide(waiver, policies);
      try {
        const after =
          annotations && !dryRun ? await this.record(waiver, annotations) : withAnnotations(waiver, annotations);
        const status = this.ports.statusOf(after, policies);
        return { ...after, ...(status ? { status } : {}) };
      } catch (error) {
        if (!hasCode(error, 'Conflict') || tries === MAX_TRIES) throw error;
      }
      waiver = await this.again(waiver);
    }
  }

  private async again({ metadata }: PolicyWaiver): Promise<PolicyWaiver> {
    const found = await this.ports.waivers.find(metadata.name, metadata.namespace);
    if (!found) throw notFound(POLICY_WAIVER.plural, metadata.name, POLICY_WAIVER.group);
    return found;
  }

  /** Of the very version that was judged, or Conflict. */
  private record({ metadata }: PolicyWaiver, annotations: Readonly<Record<string, string>>): Promise<PolicyWaiver> {
    const { name, namespace, uid, resourceVersion } = metadata;
    return this.ports.waivers.merge(name, namespace, { metadata: { uid, resourceVersion, annotations } });
  }

  private requireOpen(waiver: PolicyWaiver, facts: WaiverFacts): void {
    const state = waiver.metadata.deletionTimestamp ? 'being deleted' : stateOf(facts, this.ports.now().getTime());
    if (state === 'WaitingForApproval' || state === 'InForce') return;
    const message = `PolicyWaiver "${waiver.metadata.name}" cannot be approved: it is ${state}`;
    throw conflict(message, about(waiver, { reason: 'WaiverEnded', remedy: 'Ask for another one' }));
  }
}

function requireSame(waiver: PolicyWaiver, uid: string): void {
  if (waiver.metadata.uid === uid) return;
  const message = `PolicyWaiver "${waiver.metadata.name}" is another one than the one with uid ${uid}`;
  throw conflict(message, about(waiver, { reason: 'AnotherWaiver', remedy: 'Read it again before you decide' }));
}

function requireAnother(waiver: PolicyWaiver, { requestedBy }: WaiverFacts, caller: Caller): void {
  if (!isPerson(caller)) {
    const message = 'An API key or a service cannot approve a PolicyWaiver; a person has to';
    throw forbidden(message, about(waiver, { reason: 'PersonNeeded', remedy: 'Sign in as yourself' }));
  }
  if (caller.user !== requestedBy) return;
  const message = `PolicyWaiver "${waiver.metadata.name}" has to be approved by another person than the one who asked`;
  throw forbidden(message, about(waiver, { reason: 'SecondPersonNeeded', remedy: 'Ask somebody else' }));
}

/** One that covers less than it says would mislead whoever approves. */
function requireRight(waiver: PolicyWaiver, policies: readonly Policy[], caller: Caller): void {
  const { name } = waiver.metadata;
  const covered = coveredRules(waiver.spec, policies, 'PlatformAdmin');
  if (covered.length === 0) {
    const message = `PolicyWaiver "${name}" cannot be approved: it names no Policy that anybody may waive`;
    throw conflict(
      message,
      about(waiver, { reason: 'CoversNothing', remedy: 'Ask for one that names rules there are' }),
    );
  }
  const authority = authorityOf(caller);
  const mine = new Set(coveredRules(waiver.spec, policies, authority));
  const beyond = covered.filter((rule) => !mine.has(rule));
  if (beyond.length === 0) return;
  const message = `PolicyWaiver "${name}" covers rules that only a platform administrator may waive: ${nameSome(beyond)}`;
  const remedy = 'Have a platform administrator approve it, or ask for one without these rules';
  throw forbidden(message, about(waiver, { reason: 'PlatformAdminNeeded', remedy }));
}

function withAnnotations(waiver: PolicyWaiver, annotations: Readonly<Record<string, string>> = {}): PolicyWaiver {
  const { metadata } = waiver;
  return { ...waiver, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

function about({ metadata }: PolicyWaiver, details: ErrorDetails): ErrorDetails {
  return { group: POLICY_WAIVER.group, kind: POLICY_WAIVER.plural, name: metadata.name, ...details };
}
