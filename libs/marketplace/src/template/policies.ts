import { accountPolicies, METERING_ACTIONS, provisionerPolicies } from '@crate/infra-aws';
import type { Value } from './intrinsics.js';
import { sub, when } from './intrinsics.js';

/** What the credentials of the platform allow and the boundary of machines, by the names of `deploy/aws`. */
export interface StackPolicies {
  readonly look: Value;
  readonly compute: Value;
  readonly access: Value;
  readonly machineBoundary: Value;
  /** Every action of the first three once: more than these nobody can give the platform's user. */
  readonly userBoundary: Value;
}

/** The ARN of the boundary of machines, as `Fn::Sub` has it: the template makes that policy itself. */
const MACHINE_BOUNDARY = '${MachineBoundary}';

/** The policies of `deploy/aws`, for this account alone and in each partition of AWS. Derived from what the stacks are made of. */
export function stackPolicies(): StackPolicies {
  const provisioner = provisionerPolicies({ accountId: '${AWS::AccountId}', boundaryArn: MACHINE_BOUNDARY });
  const actions = Object.values(provisioner).flatMap(({ Statement }: Document) =>
    Statement.flatMap(({ Action }) => Action),
  );
  return {
    look: inTemplate(provisioner.look),
    compute: inTemplate(provisioner.compute),
    access: inTemplate(provisioner.access),
    machineBoundary: withMetering(inTemplate(accountPolicies()['crate-machine-boundary'] ?? {})),
    userBoundary: policy([
      { Sid: 'MostOfThePlatform', Effect: 'Allow', Action: [...new Set(actions)].sort(), Resource: '*' },
    ]),
  };
}

type Document = ReturnType<typeof provisionerPolicies>['look'];

/** A policy document of these statements. */
export function policy(statements: readonly Value[]): Value {
  return { Version: '2012-10-17', Statement: statements };
}

/** Where the platform is metered, workers of its own cluster get that right, and no other: ADR 0502. */
function withMetering(document: Value): Value {
  const { Statement, ...rest } = document as { readonly Statement: readonly Value[] };
  const meter = { Sid: 'Meter', Effect: 'Allow', Action: METERING_ACTIONS, Resource: '*' };
  return { ...rest, Statement: [...Statement, when('Metered', meter)] };
}

function inTemplate(value: object): Value {
  return filledIn(JSON.parse(JSON.stringify(value)) as Value);
}

/** Texts that name the account, the boundary or a partition become functions. */
function filledIn(value: Value): Value {
  if (typeof value === 'string') {
    const text = value.replace(/^arn:aws:/, 'arn:${AWS::Partition}:');
    return text.includes('${') ? sub(text) : text;
  }
  if (Array.isArray(value)) return value.map((each: Value) => filledIn(each));
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledIn(each)]));
}
