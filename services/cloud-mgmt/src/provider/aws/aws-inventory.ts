import type { OwnedResource } from '@crate/infra-aws';
import { z } from 'zod';
import type { ListingOptions } from '../cloud-provider.js';
import { readArn } from './arn.js';
import type { AwsClient } from './aws-client.js';
import { ec2Details } from './ec2-details.js';
import { iamResources } from './iam-resources.js';
import { stillThere } from './still-there.js';

const TARGET = 'ResourceGroupsTaggingAPI_20170126.GetResources';
const PER_PAGE = 100;

/** By their ARNs, what is tagged and yet nothing to look after. */
const LEFT_OUT: readonly RegExp[] = [
  // IAM is asked itself.
  /^arn:aws:iam:/,
  // Backups, to which AWS Backup and its like give the tags of what they are of. They outlive it, and are whoever's who had them made.
  /^arn:aws:ec2:[^:]*:[^:]*:(image|snapshot)\//,
  /^arn:aws:backup:/,
  // Rules go with their listener, and are listed for hours after it.
  /^arn:aws:elasticloadbalancing:[^:]*:[^:]*:listener-rule\//,
];

const taggedResources = z.object({
  PaginationToken: z.string().nullish(),
  ResourceTagMappingList: z.array(
    z.object({ ResourceARN: z.string(), Tags: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]) }),
  ),
});

/**
 * Everything in a region that carries the tag. The tagging API gives most of it, by ARN, and some that is no more; EC2 says what Terraform calls those that an
 * ARN does not tell, which of them are gone already, and what has no tags of its own; IAM is asked itself. Backups are not in it, whatever
 * they carry, nor are rules of listeners.
 *
 * Sources: https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/API_GetResources.html and
 * https://docs.aws.amazon.com/aws-backup/latest/devguide/tags-on-backups.html
 */
export async function listAwsResources(
  client: AwsClient,
  region: string,
  tag: readonly [string, string],
  { regionalOnly = false }: ListingOptions = {},
): Promise<readonly OwnedResource[]> {
  const tagged = await stillThere(client, region, { tag, listed: await listTagged(client, region, tag) });
  const details = await ec2Details(client, region, tag);
  const regional = tagged.flatMap((resource) => details.refine(resource));
  return [...regional, ...details.untagged, ...(regionalOnly ? [] : await iamResources(client, tag))];
}

async function listTagged(
  client: AwsClient,
  region: string,
  [key, value]: readonly [string, string],
): Promise<readonly OwnedResource[]> {
  const found: OwnedResource[] = [];
  let token = '';
  do {
    const answer = await client.json({ name: 'tagging', region }, TARGET, {
      TagFilters: [{ Key: key, Values: [value] }],
      ResourcesPerPage: PER_PAGE,
      PaginationToken: token,
    });
    const page = taggedResources.parse(answer);
    for (const { ResourceARN, Tags } of page.ResourceTagMappingList) {
      const tags = Object.fromEntries(Tags.map((one) => [one.Key, one.Value]));
      if (!LEFT_OUT.some((arn) => arn.test(ResourceARN))) found.push({ ...readArn(ResourceARN), tags });
    }
    token = page.PaginationToken ?? '';
  } while (token !== '');
  return found;
}
