import { IAM_PATH, nameHash, OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import { someAtATime } from '@crate/reconcile';
import { awsCodeOf } from './aws-request.js';
import { element, members, textOf, type AwsClient, type XmlElement } from './aws-client.js';

/** IAM has one API, which is signed for this region. */
const IAM = { name: 'iam', region: 'us-east-1', version: '2010-05-08' };

/** Calls that are under way together: IAM throttles an account early. */
const AT_A_TIME = 5;

/**
 * Roles, their policies and instance profiles that carry the tag. The tagging API has no roles, and IAM lists nothing by tag: so those below
 * Crate's own path are asked one by one, some at a time. Of what belongs to one cluster only those that have its mark in their name.
 */
export async function iamResources(
  client: AwsClient,
  tag: readonly [string, string],
): Promise<readonly OwnedResource[]> {
  const mark = markOf(tag) ?? '';
  const carriers = async (action: string, kind: IamKind): Promise<readonly OwnedResource[]> => {
    const names = (await namesOf(client, kind)).filter((name) => name.includes(mark));
    const found = await someAtATime(names, AT_A_TIME, (name) => tagsOf(client, action, { [kind.name]: name }));
    return names.flatMap((name, index): OwnedResource[] => {
      const tags = found[index];
      return tags?.[tag[0]] === tag[1] ? [{ type: kind.type, id: name, importId: name, tags }] : [];
    });
  };
  const roles = await carriers('ListRoleTags', ROLES);
  const policies = await someAtATime(roles, AT_A_TIME, ({ id, tags }) => policiesOf(client, id, tags));
  const profiles = await carriers('ListInstanceProfileTags', PROFILES);
  return [...roles, ...policies.flat(), ...profiles];
}

/** How things of a kind are listed. */
interface IamKind {
  readonly type: string;
  readonly action: string;
  readonly set: string;
  readonly name: string;
}

const ROLES: IamKind = { type: 'aws_iam_role', action: 'ListRoles', set: 'Roles', name: 'RoleName' };
const PROFILES: IamKind = {
  type: 'aws_iam_instance_profile',
  action: 'ListInstanceProfiles',
  set: 'InstanceProfiles',
  name: 'InstanceProfileName',
};

/** What is in every name of what one cluster has in IAM; undefined for a tag that several clusters have. */
function markOf([key, value]: readonly [string, string]): string | undefined {
  if (key === OWNER_TAGS.infrastructureUid) return `-${nameHash(value)}`;
  return /^kubernetes\.io\/cluster\/.*(-[0-9a-f]{8})$/.exec(key)?.[1];
}

async function policiesOf(
  client: AwsClient,
  role: string,
  tags: Readonly<Record<string, string>>,
): Promise<readonly OwnedResource[]> {
  const { Name: _name, ...own } = tags;
  const pages = await listAll(client, 'ListRolePolicies', { RoleName: role }).catch(orGone);
  const names = (pages ?? []).flatMap((page) => {
    const list = element(page, 'PolicyNames')['member'];
    return Array.isArray(list) ? (list as string[]) : [];
  });
  return names.map((name) => {
    const id = `${role}:${name}`;
    return { type: 'aws_iam_role_policy', id, importId: id, tags: own };
  });
}

async function namesOf(client: AwsClient, { action, set, name }: IamKind): Promise<readonly string[]> {
  const pages = await listAll(client, action, { PathPrefix: IAM_PATH });
  return pages.flatMap((page) => members(page, set)).map((one) => textOf(one, name));
}

/** Undefined when it was removed since it was listed. */
async function tagsOf(
  client: AwsClient,
  action: string,
  of: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>> | undefined> {
  const pages = await listAll(client, action, of).catch(orGone);
  const tags = pages?.flatMap((page) => members(page, 'Tags'));
  return tags && Object.fromEntries(tags.map((tag) => [textOf(tag, 'Key'), textOf(tag, 'Value')]));
}

async function listAll(
  client: AwsClient,
  action: string,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly XmlElement[]> {
  const pages: XmlElement[] = [];
  let marker = '';
  do {
    const next: Record<string, string> = marker === '' ? {} : { Marker: marker };
    const answer = await client.query(IAM, action, { ...parameters, ...next });
    const page = element(answer, `${action}Result`);
    pages.push(page);
    marker = textOf(page, 'IsTruncated') === 'true' ? textOf(page, 'Marker') : '';
  } while (marker !== '');
  return pages;
}

function orGone(error: unknown): undefined {
  if (awsCodeOf(error) === 'NoSuchEntity') return undefined;
  throw error;
}
