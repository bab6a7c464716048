import { describe, expect, it } from '@jest/globals';
import type { PolicySpec } from '@crate/api';
import { InMemoryLogger } from '@crate/telemetry';
import { parseAllDocuments } from 'yaml';
import { parsePolicySpec } from '../pack/policy-pack.js';
import { RuleReviewer } from '../review/policy-reviewer.js';
import { aRule } from '../testing/a-policy.js';
import { importPolicies, type ImportedPolicies, type ImportOptions } from './import-policies.js';

const POLICY = (spec: string, annotations = '{}'): string => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: replicas.example.com, annotations: ${annotations} }
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
      - { apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments, statefulsets] }
${spec}`;
const BINDING = (spec: string, name = 'binding'): string => `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: ${name} }
spec: { policyName: replicas.example.com, ${spec} }
`;
/** As in the documentation of Kubernetes: a limit from a custom resource. */
const LIMITED = POLICY(`
  paramKind: { apiVersion: rules.example.com/v1, kind: ReplicaLimit }
  validations:
    - expression: object.spec.replicas <= params.maxReplicas
      messageExpression: "'at most ' + string(params.maxReplicas) + ' replicas'"
      reason: Invalid
`);
const LIMIT = (name: string, most: number): string => `
---
{ apiVersion: rules.example.com/v1, kind: ReplicaLimit, metadata: { name: ${name} }, maxReplicas: ${most} }
`;
const SIMPLE = POLICY('  validations: [{ expression: object.spec.replicas <= 5, message: At most five replicas }]');

function imported(text: string, options?: ImportOptions): ImportedPolicies {
  return importPolicies(
    parseAllDocuments(text).map((document) => document.toJS() as unknown),
    options,
  );
}

function only(text: string, options?: ImportOptions): PolicySpec {
  const { policies } = imported(text, options);
  expect(policies).toHaveLength(1);
  return parsePolicySpec(policies[0]?.spec, 'it');
}

interface Manifest extends Readonly<Record<string, unknown>> {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** What the imported rules say of a manifest. */
function messages(text: string, manifest: Manifest): readonly string[] {
  const rules = imported(text).policies.map(({ name, spec }) => aRule(name, parsePolicySpec(spec, name)));
  const request = {
    stage: 'Manifest' as const,
    document: manifest,
    subject: { namespace: 'team-a', name: manifest.metadata.name },
  };
  return new RuleReviewer(new InMemoryLogger())
    .review(request, { policies: rules })
    .violations.map(({ message }) => message);
}

function deployment(replicas: number, further: object = {}): Manifest {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', ...further }, spec: { replicas } };
}

describe('importPolicies', () => {
  it('makes a rule of a policy, its binding and its params', () => {
    const text =
      LIMITED +
      BINDING('paramRef: { name: prod }, validationActions: [Deny, Audit]') +
      LIMIT('prod', 5) +
      LIMIT('test', 1);
    expect(only(text)).toMatchObject({
      title: 'replicas.example.com',
      level: 'must',
      enforcement: 'enforce',
      match: { stages: ['Manifest'], kinds: ['apps/Deployment', 'apps/StatefulSet'], operations: ['CREATE', 'UPDATE'] },
      params: { maxReplicas: 5 },
      references: ['ValidatingAdmissionPolicy replicas.example.com'],
    });
    expect(messages(text, deployment(6))).toEqual(['at most 5 replicas']);
    expect(messages(text, deployment(5))).toEqual([]);
    expect(messages(text, { ...deployment(6), apiVersion: 'other/v1' })).toEqual([]);
  });

  it('makes one rule for each binding, named after it', () => {
    const text =
      LIMITED +
      BINDING('paramRef: { name: prod }, validationActions: [Deny]', 'prod-binding') +
      BINDING('paramRef: { name: test }, validationActions: [Warn]', 'test-binding') +
      LIMIT('prod', 5) +
      LIMIT('test', 1);
    const { policies } = imported(text);
    expect(policies.map(({ name }) => name)).toEqual(['prod-binding', 'test-binding']);
    expect(policies.map(({ spec }) => spec['enforcement'])).toEqual([undefined, 'warn']);
  });

  it('keeps conditions, variables and annotations for audit', () => {
    const text =
      POLICY(`
  matchConditions: [{ name: not-system, expression: "!('system:nodes' in request.userInfo.groups)" }]
  variables:
    - { name: foo, expression: "'foo' in object.metadata.labels ? object.metadata.labels['foo'] : 'default'" }
  validations: [{ expression: variables.foo == 'bar', message: foo is bar }]
  auditAnnotations: [{ key: foo, valueExpression: "'foo was ' + variables.foo" }]
`) + BINDING('validationActions: [Deny]');
    expect(only(text)).toMatchObject({ title: 'foo is bar', matchConditions: [{ name: 'not-system' }] });
    expect(messages(text, deployment(1, { labels: {} }))).toEqual(['foo is bar']);
    expect(messages(text, deployment(1, { labels: { foo: 'bar' } }))).toEqual([]);
  });

  it.each([
    { actions: '[Deny]', enforcement: 'enforce' },
    { actions: '[Warn, Audit]', enforcement: 'warn' },
    { actions: '[Audit]', enforcement: 'dry-run' },
  ])('acts as $actions does: $enforcement', ({ actions, enforcement }) => {
    expect(only(SIMPLE + BINDING(`validationActions: ${actions}`)).enforcement).toBe(enforcement);
  });

  it('says where it differs: without a binding it tries, and what is ignored on failure does not deny', () => {
    const { policies, notes } = imported(SIMPLE.replace('Fail', 'Ignore'));
    expect(policies[0]?.spec).toMatchObject({ level: 'should', enforcement: 'dry-run' });
    expect(notes).toEqual([expect.stringContaining('failurePolicy'), expect.stringContaining('no binding')]);
  });

  it('takes title, level, severity and remedy from annotations, and options over them', () => {
    const annotations =
      '{ policy.crate.dev/title: T, policy.crate.dev/level: may, policy.crate.dev/severity: low, policy.crate.dev/remedy: R }';
    const text = POLICY('  validations: [{ expression: "true" }]', annotations);
    expect(only(text)).toMatchObject({ title: 'T', level: 'may', severity: 'low', remedy: 'R' });
    const options = { level: 'must', severity: 'high', remedy: 'Do it', enforcement: 'enforce' } as const;
    expect(only(text, options)).toMatchObject({ title: 'T', ...options });
  });

  it.each([
    { rule: 'apiGroups: [""], resources: [pods, pods/ephemeralcontainers]', kinds: ['Pod'] },
    { rule: 'apiGroups: ["*"], resources: ["*"]', kinds: undefined },
    { rule: 'apiGroups: [batch], resources: ["*"]', kinds: ['batch/*'] },
    {
      rule: 'apiGroups: [networking.k8s.io], resources: [ingresses, networkpolicies]',
      kinds: ['networking.k8s.io/Ingress', 'networking.k8s.io/NetworkPolicy'],
    },
    { rule: 'apiGroups: ["*"], resources: [endpoints, storageclasses]', kinds: ['Endpoints', 'StorageClass'] },
    { rule: 'apiGroups: [keda.sh], resources: [scaledobjects]', kinds: ['keda.sh/ScaledObject'] },
  ])('knows what $rule are', ({ rule, kinds }) => {
    const text = SIMPLE.replace(/\{ apiGroups.*\}/, `{ ${rule}, operations: ["*"] }`);
    const { match } = only(text, { kinds: { 'scaledobjects.keda.sh': 'ScaledObject' } });
    expect(match.kinds).toEqual(kinds);
    expect(match.operations).toEqual(['CREATE', 'UPDATE', 'DELETE']);
  });

  it('makes a rule for each set of operations', () => {
    const further = '      - { apiGroups: [""], operations: [DELETE], resources: [services] }\n';
    const text = POLICY(`${further}  validations: [{ expression: "true" }]`);
    const { policies } = imported(text);
    expect(policies.map(({ name, spec }) => [name, spec['match']])).toEqual([
      [
        'replicas.example.com-create-update',
        expect.objectContaining({ kinds: ['apps/Deployment', 'apps/StatefulSet'] }),
      ],
      ['replicas.example.com-delete', expect.objectContaining({ kinds: ['Service'], operations: ['DELETE'] })],
    ]);
  });

  it('selects objects by labels, and namespaces by name', () => {
    const binding =
      'validationActions: [Deny], matchResources: { objectSelector: { matchLabels: { tier: web } }, namespaceSelector: { matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system] }] } }';
    const text = SIMPLE + BINDING(binding);
    expect(messages(text, deployment(9, { labels: { tier: 'web' }, namespace: 'shop' }))).toEqual([
      'At most five replicas',
    ]);
    expect(messages(text, deployment(9, { labels: { tier: 'web' }, namespace: 'kube-system' }))).toEqual([]);
    expect(messages(text, deployment(9, { namespace: 'shop' }))).toEqual([]);
  });

  it.each([
    { operator: 'In', judged: ['shop', ''], leftOut: ['kube-system'] },
    { operator: 'NotIn', judged: ['kube-system', ''], leftOut: ['shop'] },
  ])('selects by $operator as Kubernetes does: Namespaces by their own name, and what is in none always', (row) => {
    const rule = '{ apiGroups: ["*"], operations: ["*"], resources: [namespaces, roles, clusterroles] }';
    const text =
      POLICY('  validations: [{ expression: "false", message: No }]').replace(/\{ apiGroups.*\}/, rule) +
      BINDING(
        `validationActions: [Deny], matchResources: { namespaceSelector: { matchExpressions: [{ key: kubernetes.io/metadata.name, operator: ${row.operator}, values: [shop] }] } }`,
      );
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'x' } };
    const within = (namespace: string): readonly Manifest[] => [
      { ...role, kind: 'Role', metadata: { name: 'x', namespace } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ];
    const said = (namespaces: readonly string[]): readonly string[][] =>
      namespaces
        .flatMap((namespace) => (namespace === '' ? [role] : within(namespace)))
        .map((manifest) => [...messages(text, manifest)]);
    expect(said(row.judged)).toEqual([['No'], ['No'], ['No']]);
    expect(said(row.leftOut)).toEqual([[], []]);
  });

  it('selects nothing where a policy and its binding contradict each other', () => {
    const selector = (tier: string): string => `objectSelector: { matchLabels: { tier: ${tier} } }`;
    const text =
      SIMPLE.replace('    resourceRules', `    ${selector('web')}\n    resourceRules`) +
      BINDING(`validationActions: [Deny], matchResources: { ${selector('db')} }`);
    expect(messages(text, deployment(9, { labels: { tier: 'web' } }))).toEqual([]);
    expect(messages(text, deployment(9, { labels: { tier: 'db' } }))).toEqual([]);
    const same = text.replace('tier: db', 'tier: web');
    expect(messages(same, deployment(9, { labels: { tier: 'web' } }))).toEqual(['At most five replicas']);
  });

  it.each([
    {
      name: 'labels of namespaces',
      text: SIMPLE + BINDING('matchResources: { namespaceSelector: { matchLabels: { env: prod } } }'),
      want: /namespaceSelector is not supported.*--ignore namespaceSelector/,
      ignore: 'namespaceSelector',
    },
    {
      name: 'names',
      text: SIMPLE.replace('resources:', 'resourceNames: [a], resources:'),
      want: /resourceRules\[0\].resourceNames: resourceNames is not supported/,
      ignore: 'resourceNames',
    },
    {
      name: 'subresources',
      text: SIMPLE.replace('[deployments', '[deployments/scale, deployments'),
      want: /"deployments\/scale" is a subresource/,
      ignore: 'subresources',
    },
    {
      name: 'connections',
      text: SIMPLE.replace('[CREATE', '[CONNECT, CREATE'),
      want: /CONNECT is not supported/,
      ignore: 'CONNECT',
    },
    {
      name: 'exclusions',
      text: SIMPLE.replace('    resourceRules', '    excludeResourceRules: [{ resources: [pods] }]\n    resourceRules'),
      want: /excludeResourceRules is not supported/,
      ignore: 'excludeResourceRules',
    },
    {
      name: 'further rules of a binding',
      text: SIMPLE + BINDING('matchResources: { resourceRules: [{ resources: [pods] }] }'),
      want: /matchResources is not supported/,
      ignore: 'matchResources',
    },
    {
      name: 'an unknown resource',
      text: SIMPLE.replace('deployments', 'widgets'),
      want: /The kind of "widgets.apps" is not known: state it with --kind widgets.apps=KIND/,
    },
    {
      name: 'the authorizer',
      text: POLICY(
        "  validations: [{ expression: \"authorizer.group('').resource('pods').check('create').allowed()\" }]",
      ),
      want: /spec.validations\[0\].expression: .*line 1, column 1: Unknown variable: authorizer \(authorizer is not there: [^()]*roles in Projects judge people\)/,
    },
    {
      name: 'the object of the namespace',
      text: POLICY('  validations: [{ expression: "namespaceObject.metadata.name == \'a\'" }]'),
      want: /namespaceObject is not there: match Projects by name/,
    },
    {
      name: 'params that are not given',
      text: LIMITED + BINDING('paramRef: { name: prod }'),
      want: /The ReplicaLimit "prod" must be known: give it in the same files/,
    },
    { name: 'params that are not clear', text: LIMITED + LIMIT('a', 1) + LIMIT('b', 2), want: /2 fit, give one/ },
    {
      name: 'what is no policy',
      text: SIMPLE.replace('validations: [{ expression', 'validations: [{ expr'),
      want: /ValidatingAdmissionPolicy replicas.example.com is malformed: spec.validations.0.expression/,
    },
  ])('refuses $name', ({ text, want, ignore }) => {
    expect(() => imported(text)).toThrow(want);
    if (ignore !== undefined) expect(imported(text, { ignore: [ignore] }).policies.length).toBeGreaterThan(0);
  });

  it('makes a rule that only annotates of a policy that only annotates', () => {
    const text = POLICY(
      "  auditAnnotations: [{ key: many, valueExpression: \"object.spec.replicas > 50 ? 'many' : ''\" }]",
    );
    expect(only(text).validations).toEqual([{ expression: 'true' }]);
  });
});
