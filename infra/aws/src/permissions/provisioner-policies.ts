import { IAM_PATH, MANAGED_BY, OWNER_TAGS } from '../names.js';
import { INVENTORY_NEEDS, NEEDS, type Making, type Needs } from './needs.js';
import { distinct, policyOf, type PolicyDocument, type PolicyStatement } from './statement.js';

const TAG = OWNER_TAGS.managedBy;
const CARRIES_TAG = { StringEquals: { [`aws:ResourceTag/${TAG}`]: MANAGED_BY } };
const SETS_TAG = { StringEquals: { [`aws:RequestTag/${TAG}`]: MANAGED_BY } };
const ANY_ACCOUNT = '*';

export interface PolicyScope {
  /** Twelve digits; absent: whichever account the policy is in. */
  readonly accountId?: string;
  /** ARN of the permissions boundary that roles of machines must have, `*` for any part of it; absent: they need none. */
  readonly boundaryArn?: string;
}

/** What the credentials of a CloudAccount have to allow, in documents that are each short enough for IAM. */
export interface ProvisionerPolicies {
  /** Calls that change nothing. */
  readonly look: PolicyDocument;
  /** Networks, machines and disks. */
  readonly compute: PolicyDocument;
  /** Load balancers, and the roles of machines. */
  readonly access: PolicyDocument;
}

/**
 * Policies that let Crate make what it tags, change and remove what carries its tag, and touch nothing else: derived from what the stacks are made of.
 * Pure. Source of the pattern: https://docs.aws.amazon.com/IAM/latest/UserGuide/access_tags.html
 */
export function provisionerPolicies(scope: PolicyScope = {}): ProvisionerPolicies {
  const needs = [...Object.values(NEEDS), INVENTORY_NEEDS];
  return {
    look: policyOf([
      { Sid: 'Look', Effect: 'Allow', Action: distinct(needs.flatMap(({ reads }) => reads)), Resource: '*' },
    ]),
    compute: policyOf(serviceStatements(needs, 'ec2', scope)),
    access: policyOf([...serviceStatements(needs, 'elasticloadbalancing', scope), ...identityStatements(needs, scope)]),
  };
}

function serviceStatements(all: readonly Needs[], service: string, scope: PolicyScope): readonly PolicyStatement[] {
  const isOurs = (action: string): boolean => action.startsWith(`${service}:`);
  const makings = all.flatMap(({ makes = [] }) => makes).filter(({ action }) => isOurs(action));
  const withUntagged = all.flatMap(({ changesWith = [] }) => changesWith).filter(({ action }) => isOurs(action));
  const changes = all.flatMap((needs) => needs.changes ?? []).filter(isOurs);
  const madeOfOwn = makings.filter(({ of = [] }) => of.length > 0);
  return [
    ...makings.filter(({ makes }) => makes.length > 0).map((making) => makeStatement(service, making, scope)),
    {
      Sid: 'ChangeOwn',
      Effect: 'Allow',
      // What is made is made for something that is there: a subnet for a network of Crate's own.
      Action: distinct([...changes, ...[...madeOfOwn, ...withUntagged].map(({ action }) => action)]),
      Resource: '*',
      Condition: CARRIES_TAG,
    },
    ...[...makings, ...withUntagged].flatMap((each) => untaggedStatement(service, each, scope)),
    ...removalsOfKubernetes(all, isOurs),
    ...tagStatements(all, service, { made: makings.map(({ action }) => action), scope }),
  ];
}

function makeStatement(service: string, { action, makes }: Making, scope: PolicyScope): PolicyStatement {
  return {
    Sid: `Make${nameOf(action)}`,
    Effect: 'Allow',
    Action: [action],
    Resource: makes.map((kind) => arnOf(service, kind, scope)),
    Condition: SETS_TAG,
  };
}

function untaggedStatement(
  service: string,
  { action, untagged = [] }: Pick<Making, 'action' | 'untagged'>,
  scope: PolicyScope,
): readonly PolicyStatement[] {
  if (untagged.length === 0) return [];
  const Resource = untagged.map((kind) => arnOf(service, kind, scope));
  return [{ Sid: `With${nameOf(action)}`, Effect: 'Allow', Action: [action], Resource }];
}

function removalsOfKubernetes(all: readonly Needs[], isOurs: (action: string) => boolean): readonly PolicyStatement[] {
  const removals = all.flatMap(({ removesOfKubernetes }) => removesOfKubernetes ?? []);
  const tags = new Map(removals.map(({ of, tag }) => [of, tag]));
  return [...tags].map(([of, tag]) => ({
    Sid: `RemoveOf${of}`,
    Effect: 'Allow',
    Action: distinct(removals.filter((each) => each.of === of).flatMap(({ actions }) => actions.filter(isOurs))),
    Resource: '*',
    Condition: { Null: { [`aws:ResourceTag/${tag}`]: 'false' } },
  }));
}

/** Tags come with the thing; later only on what is Crate's own already, or nobody could tell what is. */
function tagStatements(
  all: readonly Needs[],
  service: string,
  { made, scope }: { readonly made: readonly string[]; readonly scope: PolicyScope },
): readonly PolicyStatement[] {
  const [add, remove] = service === 'ec2' ? ['CreateTags', 'DeleteTags'] : ['AddTags', 'RemoveTags'];
  const later = service === 'ec2' ? distinct(all.flatMap(({ tagsLater = [] }) => tagsLater)) : [];
  return [
    {
      Sid: 'TagNew',
      Effect: 'Allow',
      Action: [`${service}:${add}`],
      Resource: '*',
      Condition: {
        StringEquals: { ...SETS_TAG.StringEquals, [`${service}:CreateAction`]: distinct(made.map(nameOf)) },
      },
    },
    {
      Sid: 'TagOwn',
      Effect: 'Allow',
      Action: [`${service}:${add}`, `${service}:${remove}`],
      Resource: '*',
      Condition: CARRIES_TAG,
    },
    {
      Sid: 'TagLater',
      Effect: 'Allow',
      Action: later.length === 0 ? [] : [`${service}:${add}`],
      Resource: later.map((kind) => arnOf(service, kind, scope)),
      Condition: SETS_TAG,
    },
  ];
}

const GIVES_RIGHTS = ['iam:CreateRole', 'iam:PutRolePolicy'];
/** Gives roles that were there before the boundary. */
const BOUNDS = 'iam:PutRolePermissionsBoundary';

function identityStatements(all: readonly Needs[], scope: PolicyScope): readonly PolicyStatement[] {
  const actions = distinct(all.flatMap(({ onPath = [] }) => onPath)).filter((action) => action !== 'iam:PassRole');
  const ownPath = ['role', 'instance-profile'].map((kind) => arnOf('iam', `${kind}${IAM_PATH}*`, scope));
  const { boundaryArn } = scope;
  const bounded = boundaryArn === undefined ? [] : [...GIVES_RIGHTS, BOUNDS];
  return [
    {
      Sid: 'IdentitiesOfMachines',
      Effect: 'Allow',
      Action: actions.filter((action) => !bounded.includes(action)),
      Resource: ownPath,
    },
    {
      Sid: 'RightsOfMachines',
      Effect: 'Allow',
      Action: bounded,
      Resource: ownPath,
      ...(boundaryArn === undefined ? {} : { Condition: { StringLike: { 'iam:PermissionsBoundary': boundaryArn } } }),
    },
    {
      Sid: 'HandRolesToMachines',
      Effect: 'Allow',
      Action: ['iam:PassRole'],
      Resource: ownPath.slice(0, 1),
      Condition: { StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } },
    },
    {
      // The first load balancer of an account needs it. Source: https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-service-linked-roles.html
      Sid: 'FirstLoadBalancer',
      Effect: 'Allow',
      Action: ['iam:CreateServiceLinkedRole'],
      Resource: arnOf('iam', 'role/aws-service-role/elasticloadbalancing.amazonaws.com/*', scope),
      Condition: { StringEquals: { 'iam:AWSServiceName': 'elasticloadbalancing.amazonaws.com' } },
    },
  ];
}

/** IAM is global, and public images are in no account. */
function arnOf(service: string, kind: string, { accountId = ANY_ACCOUNT }: PolicyScope): string {
  const region = service === 'iam' ? '' : '*';
  const account = kind === 'image' ? '' : accountId;
  return `arn:aws:${service}:${region}:${account}:${kind.includes('/') ? kind : `${kind}/*`}`;
}

/** The call of an action: `CreateVpc` of `ec2:CreateVpc`. */
function nameOf(action: string): string {
  return action.slice(action.indexOf(':') + 1);
}
