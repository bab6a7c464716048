import { IAM_PATH, type OwnedResource } from '@crate/infra-aws';
import { awsCodeOf } from './aws-request.js';
import { element, members, textOf, type AwsClient, type XmlElement } from './aws-client.js';

/** IAM has one API, which is signed for this region. */
const IAM = { name: 'iam', region: 'us-east-1', version: '2010-05-08' };

/**
 * Roles, their policies and instance profiles that carry the tag. The tagging API has no roles, and IAM lists nothing by tag: so those below
 * Crate's own path are asked one by one.
 */
export async function iamResources(
  client: AwsClient,
  tag: readonly [string, string],
): Promise<readonly OwnedResource[]> {
  const found: OwnedResource[] = [];
  for (const name of await namesOf(client, { action: 'ListRoles', set: 'Roles', name: 'RoleName' })) {
    const tags = await tagsOf(client, 'ListRoleTags', { RoleName: name });
    if (!tags || tags[tag[0]] !== tag[1]) continue;
    found.push({ type: 'aws_iam_role', id: name, importId: name, tags });
    found.push(...(await policiesOf(client, name, tags)));
  }
  for (const name of await namesOf(client, {
    action: 'ListInstanceProfiles',
    set: 'InstanceProfiles',
    name: 'InstanceProfileName',
  })) {
    const tags = await tagsOf(client, 'ListInstanceProfileTags', { InstanceProfileName: name });
    if (tags && tags[tag[0]] === tag[1])
      found.push({ type: 'aws_iam_instance_profile', id: name, importId: name, tags });
  }
  return found;
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

async function namesOf(
  client: AwsClient,
  { action, set, name }: { readonly action: string; readonly set: string; readonly name: string },
): Promise<readonly string[]> {
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
