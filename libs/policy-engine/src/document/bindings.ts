import type { PolicyReviewRequest } from '@crate/api';
import { toCelValue, type Bindings } from '@crate/cel';
import { ingressRules } from './ingress-rules.js';
import { plannedResources } from './planned-resources.js';
import { kindOf } from './subject-kind.js';
import { containersOf, podsOf } from './workloads.js';

/** The values that rules at the request's stage see, but for `params` and `variables`; their names are in `stage-variables.ts`. */
export function bindingsFor(request: PolicyReviewRequest): Bindings {
  const object = toCelValue(request.document);
  const oldObject = request.oldDocument === undefined ? null : toCelValue(request.oldDocument);
  return { object, oldObject, request: requestOf(request), ...partsOf(request) };
}

function requestOf(request: PolicyReviewRequest): Bindings {
  const { stage, subject, operation = 'UPDATE', dryRun = false, userInfo } = request;
  const { namespace, name, cluster = '', provider = '', engine = '' } = subject;
  const { username = '', groups = [] } = userInfo ?? {};
  const user = { username, groups };
  return {
    operation,
    stage,
    namespace,
    name,
    cluster,
    provider,
    engine,
    dryRun,
    kind: kindOf(request),
    userInfo: user,
  };
}

function partsOf({ stage, document }: PolicyReviewRequest): Bindings {
  switch (stage) {
    case 'TerraformPlan': {
      const resources = plannedResources(document);
      return { resources: toCelValue(resources), ingress: toCelValue(ingressRules(resources)) };
    }
    case 'Manifest':
      return { pods: toCelValue(podsOf(document)), containers: toCelValue(containersOf(document)) };
    case 'ClusterSpec':
    case 'EngineConfig':
      return {};
  }
}
