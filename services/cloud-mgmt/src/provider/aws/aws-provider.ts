import type { OwnedResource } from '@crate/infra-aws';
import { z } from 'zod';
import {
  CloudProvider,
  type AccountCredentials,
  type CloudAccess,
  type ListingOptions,
  type TerraformRuntime,
} from '../cloud-provider.js';
import { credentialsRejected } from '../credentials-rejected.js';
import { AwsClient, type AwsEndpoint } from './aws-client.js';
import { listAwsResources } from './aws-inventory.js';
import { networkResidents } from './network-residents.js';
import { sendAwsRequest } from './aws-request.js';

const IDENTITY_REGION = 'us-east-1';
const LISTING_LAG_MS = 60_000;
const FORM = 'application/x-www-form-urlencoded; charset=utf-8';

const identity = z.object({
  GetCallerIdentityResponse: z.object({ GetCallerIdentityResult: z.object({ Account: z.string() }) }),
});
/** IAM is the same everywhere. */
const publicEndpoint: AwsEndpoint = (service, region) =>
  service === 'iam' ? 'https://iam.amazonaws.com/' : `https://${service}.${region}.amazonaws.com/`;

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

  /** Seconds as a rule; nobody promises any. */
  async listingLagMs(): Promise<number> {
    return Promise.resolve(LISTING_LAG_MS);
  }

  async listByTag(
    access: CloudAccess,
    tag: readonly [string, string],
    signal: AbortSignal,
    options?: ListingOptions,
  ): Promise<readonly OwnedResource[]> {
    return listAwsResources(this.client(access, signal), access.region, tag, options);
  }

  async listInNetwork(access: CloudAccess, vpcId: string, signal: AbortSignal): Promise<readonly OwnedResource[]> {
    return networkResidents(this.client(access, signal), access.region, vpcId);
  }

  private client(access: CloudAccess, signal: AbortSignal): AwsClient {
    return new AwsClient({ endpoint: this.endpoint, credentials: credentialsOf(access), signal });
  }
}

function credentialsOf(access: CloudAccess): AccountCredentials {
  if (access.credentials) return access.credentials;
  throw credentialsRejected('The CloudAccount has no credentials');
}
