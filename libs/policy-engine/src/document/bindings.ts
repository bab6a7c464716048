import type { PolicyReviewRequest } from '@crate/api';
import { toCelValue, type Bindings } from '@crate/cel';
import { ingressRules } from './ingress-rules.js';
import { plannedResources } from './planned-resources.js';
import { kindOf } from './subject-kind.js';
import { containersOf, podsOf } from './workloads.js';

/** The values that rules at the request's stage see, but for `params` and `variables`; their names are in `stage-variables.ts`. */
export function bindingsFor(request: PolicyReviewRequest): Bindings {
  const objects = objectsOf(request);
  return { ...objects, request: requestOf(request), ...partsOf(request, objects['object']) };
}

/** As in Kubernetes, what is deleted is `oldObject`, and there is no `object`. What a plan removes is still a plan. */
function objectsOf({ stage, operation, document, oldDocument }: PolicyReviewRequest): Bindings {
  const isGone = operation === 'DELETE' && (stage === 'ClusterSpec' || stage === 'Manifest');
  if (isGone) return { object: null, oldObject: toCelValue(oldDocument ?? document) };
  return { object: toCelValue(document), oldObject: oldDocument === undefined ? null : toCelValue(oldDocument) };
}

/** What rules see as `request`. Some of it is told by the document: its kind, and where in a cluster an object is. */
export function requestOf(request: PolicyReviewRequest): Bindings {
  const { stage, subject, operation = 'UPDATE', dryRun = false, userInfo } = request;
  const { namespace: project, name, cluster = '', provider = '', engine = '' } = subject;
  const { username = '', groups = [] } = userInfo ?? {};
  const user = { username, groups };
  const namespace = stage === 'Manifest' ? namespaceOf(request.document) : project;
  const about = { project, namespace, name, cluster, provider, engine };
  return { operation, stage, ...about, dryRun, kind: kindOf(request), userInfo: user };
}

/** Of an object within a target cluster. */
function namespaceOf(manifest: unknown): string {
  const { metadata } = (manifest ?? {}) as { readonly metadata?: { readonly namespace?: unknown } };
  return typeof metadata?.namespace === 'string' ? metadata.namespace : '';
}

function partsOf({ stage, document }: PolicyReviewRequest, object: unknown): Bindings {
  switch (stage) {
    case 'TerraformPlan': {
      // Picked from what is converted already: a plan is large.
      return { resources: plannedResources(object), ingress: toCelValue(ingressRules(plannedResources(document))) };
    }
    case 'Manifest':
      return { pods: toCelValue(podsOf(document)), containers: toCelValue(containersOf(document)) };
    case 'ClusterSpec':
    case 'EngineConfig':
      return {};
  }
}
