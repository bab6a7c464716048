import { afterEach, beforeEach } from '@jest/globals';
import { forgetLiveLists } from '../../../api/use-live.js';
import { PlayedApi } from '../../../testing/played-api.js';

export const POLICY = '/apis/policy.crate.dev/v1alpha1';
export const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

export const RULE = {
  metadata: { name: 'control-plane-ha', labels: { 'policy.crate.dev/pack': 'cluster-spec' } },
  spec: {
    title: 'Control planes survive the loss of a machine',
    level: 'must',
    severity: 'high',
    match: { stages: ['ClusterSpec'] },
    matchConditions: [],
    params: { least: 3 },
    variables: [],
    validations: [{ expression: 'object.spec.controlPlane.replicas >= params.least' }],
    remedy: 'Ask for three machines',
    references: ['NIST 800-53 CP-10', 'https://example.com/why'],
    enforcement: 'enforce',
    exceptions: [{ projects: ['team-*'], enforcement: 'dry-run' }],
    waivableBy: 'ProjectAdmin',
  },
};
export const OWN_RULE = {
  ...RULE,
  metadata: { name: 'own' },
  spec: { ...RULE.spec, title: 'Ours', level: 'may', exceptions: [] },
};

export interface PlayedPolicies {
  readonly api: PlayedApi;
  /** The document that a call brought; undefined when there was no such call. */
  readonly sent: (call: string) => unknown;
}

/** An API with two Projects and two rules for each test of the file, to a person who may do everything. */
export function playPolicies(): PlayedPolicies {
  const api = new PlayedApi();
  beforeEach(() => {
    forgetLiveLists();
    api.install();
    api.list(PROJECTS, [{ metadata: { name: 'team-b' } }, { metadata: { name: 'team-a' } }]);
    api.json(REVIEWS, { status: { allowed: true } }, { method: 'POST' });
    api.list(`${POLICY}/policies`, [RULE, OWN_RULE]);
  });
  afterEach(() => api.remove());
  const sent = (call: string): unknown => {
    const { body } = api.calls.find((each) => each.call === call) ?? {};
    return typeof body === 'string' ? JSON.parse(body) : undefined;
  };
  return { api, sent };
}
