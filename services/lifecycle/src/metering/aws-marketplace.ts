import { signedHeaders } from '@crate/aws-signature';
import { PlatformError, unavailable } from '@crate/errors';
import { z } from 'zod';
import { Marketplace, type Entitlement, type Usage } from './marketplace.js';
import type { RoleCredentials } from './role-credentials.js';

const SIGNED_AS = 'aws-marketplace';
const METERING = 'AWSMPMeteringService';
const ENTITLEMENT = 'AWSMPEntitlementService';
const KEY_VERSION = 1;
const MOST_PAGES = 20;
/**
 * What AWS says of a record itself, however often it is told. A role, a permission, an offer or a subscription can be put right within
 * the hours that AWS takes a record in. Source: https://docs.aws.amazon.com/marketplace/latest/APIReference/API_marketplace-metering_MeterUsage.html
 */
const OF_THE_RECORD =
  /^(DuplicateRequest|TimestampOutOfBounds|InvalidUsageDimension|InvalidUsageAllocations|InvalidTag)Exception$/;
const CODE = /"__type"\s*:\s*"(?:[^"#]*#)?(\w+)"/;

/** Where AWS Marketplace is asked. */
export interface MarketplaceEndpoint {
  readonly url: string;
  readonly region: string;
}

export interface AwsMarketplaceOptions {
  readonly productCode: string;
  readonly metering: MarketplaceEndpoint;
  readonly entitlement: MarketplaceEndpoint;
  readonly credentials: Pick<RoleCredentials, 'get'>;
}

const metered = z.object({ MeteringRecordId: z.string() });
const entitled = z.object({
  Entitlements: z
    .array(
      z.object({
        Dimension: z.string(),
        Value: z.object({ IntegerValue: z.number().optional(), DoubleValue: z.number().optional() }).optional(),
        ExpirationDate: z.number().optional(),
      }),
    )
    .default([]),
  NextToken: z.string().optional(),
});

/**
 * AWS Marketplace by its APIs, signed with the role that the process has.
 * Source: https://docs.aws.amazon.com/marketplace/latest/APIReference/welcome.html
 */
export class AwsMarketplace extends Marketplace {
  constructor(private readonly options: AwsMarketplaceOptions) {
    super();
  }

  override async meter({ dimension, hour, quantity }: Usage, signal: AbortSignal): Promise<string> {
    const { productCode: ProductCode, metering } = this.options;
    const Timestamp = hour.getTime() / 1_000;
    const body = { ProductCode, Timestamp, UsageDimension: dimension, UsageQuantity: quantity };
    const answer = await this.call(metering, `${METERING}.MeterUsage`, body, signal);
    return metered.parse(answer).MeteringRecordId;
  }

  override async register(signal: AbortSignal): Promise<void> {
    const { productCode: ProductCode, metering } = this.options;
    const body = { ProductCode, PublicKeyVersion: KEY_VERSION };
    await this.call(metering, `${METERING}.RegisterUsage`, body, signal);
  }

  override async entitlements(signal: AbortSignal): Promise<readonly Entitlement[]> {
    const { productCode: ProductCode, entitlement } = this.options;
    const all: Entitlement[] = [];
    let next: { readonly NextToken?: string } = {};
    for (let page = 0; page < MOST_PAGES; page++) {
      const body = { ProductCode, ...next };
      const answer = entitled.parse(await this.call(entitlement, `${ENTITLEMENT}.GetEntitlements`, body, signal));
      all.push(...answer.Entitlements.map(entitlementOf));
      if (answer.NextToken === undefined || answer.NextToken === '') return all;
      next = { NextToken: answer.NextToken };
    }
    throw unavailable(`AWS Marketplace lists more than ${MOST_PAGES} pages of entitlements`);
  }

  private async call(
    { url, region }: MarketplaceEndpoint,
    target: string,
    given: object,
    signal: AbortSignal,
  ): Promise<unknown> {
    const credentials = await this.options.credentials.get(signal);
    const body = JSON.stringify(given);
    const named = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
    const headers = signedHeaders({ service: SIGNED_AS, region, url, headers: named, body, credentials });
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { method: 'POST', headers, body, signal });
      text = await response.text();
    } catch (error) {
      throw unavailable(`AWS Marketplace does not answer at ${new URL(url).host}`, error);
    }
    if (response.ok) return JSON.parse(text);
    throw refusal(CODE.exec(text)?.[1] ?? `HTTP ${response.status}`);
  }
}

function refusal(awsCode: string): PlatformError {
  const code = OF_THE_RECORD.test(awsCode) ? 'Forbidden' : 'Unavailable';
  return new PlatformError(code, `AWS Marketplace answered ${awsCode}`);
}

function entitlementOf({
  Dimension,
  Value,
  ExpirationDate,
}: z.output<typeof entitled>['Entitlements'][number]): Entitlement {
  const expiresAt = ExpirationDate === undefined ? undefined : new Date(ExpirationDate * 1_000);
  return { dimension: Dimension, quantity: Value?.IntegerValue ?? Value?.DoubleValue, expiresAt };
}
