import { ownVersion, serviceContext, type Foundation } from '@crate/service-host';
import type { UsageMeter } from '../metering/usage-meter.js';
import { PostgresReportMemory } from './report-memory.js';
import { ServiceAnswers } from './service-answers.js';
import type { ReleaseWatch } from '../release/release-watch.js';
import { StatusReader } from './status-reader.js';

/** Wires how the platform is: this service's own word, and that of all it may call. */
export function platformStatusParts(
  foundation: Pick<Foundation, 'service' | 'registry' | 'status' | 'calls' | 'database' | 'logger'>,
  releases: Pick<ReleaseWatch, 'status'>,
  metering: Pick<UsageMeter, 'status'> | undefined,
  inCluster: boolean,
): StatusReader {
  const { service, registry, status, calls, database, logger } = foundation;
  const answers = new ServiceAnswers({
    service,
    own: () => status.report(),
    others: registry.calleesOf(service),
    calls,
    context: serviceContext(service),
    memory: new PostgresReportMemory(database),
    logger,
  });
  const own = async (): ReturnType<ConstructorParameters<typeof StatusReader>[0]['own']> => ({
    version: ownVersion(),
    inCluster,
    nats: await status.vitals.natsVitals(),
    hasJetStream: status.vitals.hasJetStream,
    upgrade: releases.status(),
    marketplace: metering?.status(),
  });
  return new StatusReader({ answers, own });
}
