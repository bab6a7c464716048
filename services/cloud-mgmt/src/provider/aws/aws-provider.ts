import type { OwnedResource } from '@crate/infra-aws';
import { z } from 'zod';
import { CloudProvider, type AccountCredentials, type CloudAccess, type TerraformRuntime } from '../cloud-provider.js';
import { credentialsRejected } from '../credentials-rejected.js';
import { readArn } from './arn.js';
import { sendAwsRequest } from './aws-request.js';

const IDENTITY_REGION = 'us-east-1';
const FORM = 'application/x-www-form-urlencoded; charset=utf-8';
const JSON_11 = 'application/x-amz-json-1.1';

const identity = z.object({
  GetCallerIdentityResponse: z.object({ GetCallerIdentityResult: z.object({ Account: z.string() }) }),
});
const taggedResources = z.object({
  PaginationToken: z.string().default(''),
  ResourceTagMappingList: z.array(
    z.object({ ResourceARN: z.string(), Tags: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]) }),
  ),
});

/** Gives the URL of a service's API in a region. */
export type AwsEndpoint = (service: string, region: string) => string;

const publicEndpoint: AwsEndpoint = (service, region) => `https://${service}.${region}.amazonaws.com/`;

/** Amazon Web Services. */
export class AwsProvider extends CloudProvider {
  constructor(private readonly endpoint: AwsEndpoint = publicEndpoint) {
    super();
  }

  async checkCredentials(access: CloudAccess, signal: AbortSignal): Promise<void> {
    const answer = await sendAwsRequest({
      service: 'sts',
      region: IDENTITY_REGION,
      url: this.endpoint('sts', IDENTITY_REGION),
      headers: { 'content-type': FORM, accept: 'application/json' },
      body: 'Action=GetCallerIdentity&Version=2011-06-15',
      credentials: credentialsOf(access),
      signal,
    });
    const { Account } = identity.parse(JSON.parse(answer)).GetCallerIdentityResponse.GetCallerIdentityResult;
    if (Account === access.accountId) return;
    throw credentialsRejected(`The credentials belong to account ${Account}, not to ${access.accountId}`);
  }

  async openRuntime(access: CloudAccess): Promise<TerraformRuntime> {
    const { accessKeyId, secretAccessKey } = credentialsOf(access);
    return Promise.resolve({
      id: undefined,
      env: {
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_REGION: access.region,
        // Nothing but the account's own credentials may be used, least of all those of the machine.
        AWS_EC2_METADATA_DISABLED: 'true',
      },
      secrets: [secretAccessKey],
    });
  }

  /** Terraform brings its own provider along, which ends with it. */
  async closeRuntime(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * NOTE: machines and gateways that are gone already may still be listed for up to an hour.
   * Source: https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/API_GetResources.html
   */
  async listByTag(
    access: CloudAccess,
    [key, value]: readonly [string, string],
    signal: AbortSignal,
  ): Promise<readonly OwnedResource[]> {
    const objects: OwnedResource[] = [];
    let token = '';
    do {
      const answer = await sendAwsRequest({
        service: 'tagging',
        region: access.region,
        url: this.endpoint('tagging', access.region),
        headers: { 'content-type': JSON_11, 'x-amz-target': 'ResourceGroupsTaggingAPI_20170126.GetResources' },
        body: JSON.stringify({ TagFilters: [{ Key: key, Values: [value] }], PaginationToken: token }),
        credentials: credentialsOf(access),
        signal,
      });
      const page = taggedResources.parse(JSON.parse(answer));
      objects.push(...page.ResourceTagMappingList.map(toObject));
      token = page.PaginationToken;
    } while (token !== '');
    return objects;
  }
}

function toObject(mapping: z.output<typeof taggedResources>['ResourceTagMappingList'][number]): OwnedResource {
  const tags = Object.fromEntries(mapping.Tags.map((tag) => [tag.Key, tag.Value]));
  return { ...readArn(mapping.ResourceARN), tags };
}

function credentialsOf(access: CloudAccess): AccountCredentials {
  if (access.credentials) return access.credentials;
  throw credentialsRejected('The CloudAccount has no credentials');
}
