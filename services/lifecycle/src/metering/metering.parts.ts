import { randomUUID } from 'node:crypto';
import type { Foundation } from '@crate/service-host';
import { AwsMarketplace } from './aws-marketplace.js';
import type { MeteringConfig } from './metering.config.js';
import { RoleCredentials } from './role-credentials.js';
import { PostgresUsageLedger } from './usage-ledger.js';
import { UsageMeter } from './usage-meter.js';

/** The metadata service of EC2, and that of nobody else. */
const METADATA = 'http://169.254.169.254';
/** Contracts are kept in one place. */
const ENTITLEMENT_REGION = 'us-east-1';

/** Wires what AWS Marketplace is told; undefined where Crate was not bought there. */
export function meteringParts(
  { database, logger }: Pick<Foundation, 'database' | 'logger'>,
  config: MeteringConfig,
  clusters: () => number,
): UsageMeter | undefined {
  const { productCode, region, roleArn, tokenFile, call, dimension, entitlements, everyMs } = config;
  if (productCode === '') return undefined;
  const credentials = new RoleCredentials({
    endpoints: { metadata: METADATA, sts: `https://sts.${region}.amazonaws.com/` },
    webIdentity: roleArn === undefined ? undefined : { roleArn, tokenFile },
  });
  const marketplace = new AwsMarketplace({
    productCode,
    metering: { url: `https://metering.marketplace.${region}.amazonaws.com/`, region },
    entitlement: {
      url: `https://entitlement.marketplace.${ENTITLEMENT_REGION}.amazonaws.com/`,
      region: ENTITLEMENT_REGION,
    },
    credentials,
  });
  const ledger = new PostgresUsageLedger(database);
  return new UsageMeter({
    marketplace,
    ledger,
    call,
    dimension,
    entitlements,
    sender: randomUUID(),
    clusters,
    everyMs,
    logger,
  });
}
