import { POLICY, POLICY_IMPACT_REVIEW } from '@crate/api';
import { RuleReviewer } from '@crate/policy-engine';
import type { AdmissionHook, ServedKind } from '@crate/resource-server';
import { serviceContext, type Foundation } from '@crate/service-host';
import type { DocumentRepository } from '../memory/document.repository.js';
import { QuietLogger } from '../report/quiet-logger.js';
import type { RuleSource } from '../report/rule-source.js';
import { impactWarnings } from './impact-warnings.js';
import { PolicyImpactApi } from './policy-impact.api.js';
import { PolicyImpacts } from './policy-impact.js';

/** What tells people what a rule leads to before it does. */
export interface ImpactParts {
  readonly kind: ServedKind;
  /** Of Policies, after the hooks that may refuse them. */
  readonly admission: AdmissionHook;
}

/** Wires it into the service. */
export function impactParts(
  { clients, logger, service }: Pick<Foundation, 'clients' | 'logger' | 'service'>,
  { documents, rules }: { readonly documents: DocumentRepository; readonly rules: RuleSource },
): ImpactParts {
  const impacts = new PolicyImpacts({ documents, rules, reviewer: new RuleReviewer(new QuietLogger(logger)) });
  return {
    kind: { definition: POLICY_IMPACT_REVIEW, api: new PolicyImpactApi(impacts, clients.for(POLICY)) },
    admission: impactWarnings(impacts, serviceContext(service).caller.user),
  };
}
