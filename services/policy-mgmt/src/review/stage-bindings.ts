import type { PolicyReviewRequest } from '@crate/api';
import { toCelValue, type Bindings } from '@crate/cel';
import { ingressRules } from './ingress-rules.js';
import { plannedResources } from './planned-resources.js';

/** The values that rules of the request's stage see; their names are in `stage-variables.ts`. */
export function bindingsFor({ stage, document, subject }: PolicyReviewRequest): Bindings {
  const common = { document: toCelValue(document), subject: toCelValue(subject) };
  if (stage !== 'TerraformPlan') return common;
  const resources = plannedResources(document);
  return { ...common, resources: toCelValue(resources), ingress: toCelValue(ingressRules(resources)) };
}
