import { withoutUndefined, type Policy, type PolicyExampleDocument, type PolicyExamples } from '@crate/api';
import { exampleRequest, stageOfExample, type PackedPolicy, type PolicyExample } from '@crate/policy-engine';

type Shipped = PackedPolicy['examples'];

/** Documents that a rule objects to and accepts, as whole ones; none where no pack ships any. Pure. */
export function policyExamples({ spec }: Policy, shipped: Shipped | undefined): PolicyExamples {
  const items = (['fail', 'pass'] as const).flatMap((expected) =>
    (shipped?.[expected] ?? []).map((example) => exampleDocument(spec, expected, example)),
  );
  return { kind: 'PolicyExampleList', items };
}

function exampleDocument(
  spec: Policy['spec'],
  expected: PolicyExampleDocument['expected'],
  example: PolicyExample,
): PolicyExampleDocument {
  const { document, oldDocument, stage, subject } = exampleRequest(stageOfExample(example, spec), example);
  const { provider, engine } = subject;
  const { title, field, message } = example;
  return {
    expected,
    stage,
    ...withoutUndefined({ title, field, message, provider, engine, oldDocument }),
    project: subject.namespace,
    document,
  };
}
