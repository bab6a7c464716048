import { afterEach, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { directoryWith } from '../testing/files-of.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { policyImportCommand } from './policy-import.command.js';

const POLICY = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: scaled }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [keda.sh], operations: [CREATE], resources: [scaledobjects] }]
  validations: [{ expression: object.spec.maxReplicaCount <= 10, message: At most ten }]
`;
const BINDING = `
kind: ValidatingAdmissionPolicyBinding
metadata: { name: NAME }
spec: { policyName: scaled, validationActions: [Warn], matchResources: { namespaceSelector: { matchLabels: { a: b } } } }
`;

let remove: (() => Promise<void>) | undefined;

afterEach(async () => remove?.());

async function run(text: string, ...args: string[]): Promise<Written> {
  const directory = await directoryWith({ 'vap.yaml': text });
  remove = directory.remove;
  return outputOf(policyImportCommand(), ['-f', `${directory.path}/vap.yaml`, ...args]);
}

const KIND = ['--kind', 'scaledobjects.keda.sh=ScaledObject'];

describe('crate policy import', () => {
  it('prints Policy documents, and tells beside them what differs', async () => {
    const { stdout, stderr } = await run(POLICY, ...KIND, '--level', 'should', '--remedy', 'Ask for less');
    expect(parse(stdout)).toEqual({
      apiVersion: 'policy.crate.dev/v1alpha1',
      kind: 'Policy',
      metadata: { name: 'scaled' },
      spec: {
        title: 'At most ten',
        level: 'should',
        match: { stages: ['Manifest'], kinds: ['keda.sh/ScaledObject'], operations: ['CREATE'] },
        validations: [{ expression: 'object.spec.maxReplicaCount <= 10', message: 'At most ten' }],
        remedy: 'Ask for less',
        references: ['ValidatingAdmissionPolicy scaled'],
        enforcement: 'dry-run',
      },
    });
    expect(stderr).toMatch(/^note: scaled: no binding/);
  });

  it('prints one document for each binding', async () => {
    const text = [POLICY, BINDING.replace('NAME', 'one'), BINDING.replace('NAME', 'two')].join('---');
    const { stdout } = await run(text, ...KIND, '--ignore', 'namespaceSelector');
    const names = parseAllDocuments(stdout).map((document) => document.getIn(['metadata', 'name']));
    expect(names).toEqual(['one', 'two']);
  });

  it.each([
    { name: 'a resource that it does not know', text: POLICY, args: [], want: /--kind scaledobjects.keda.sh=KIND/ },
    { name: 'what it cannot say', text: [POLICY, BINDING].join('---'), args: KIND, want: /--ignore namespaceSelector/ },
    { name: 'other documents', text: 'kind: ConfigMap', args: [], want: /no ValidatingAdmissionPolicy in .*vap.yaml/ },
  ])('refuses $name', async ({ text, args, want }) => {
    await expect(run(text, ...args)).rejects.toThrow(want);
  });
});
