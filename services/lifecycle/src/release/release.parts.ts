import type { PlatformStatus } from '@crate/api';
import { ownVersion, type Foundation } from '@crate/service-host';
import { ReleaseSource } from './release-source.js';
import { ReleaseWatch } from './release-watch.js';
import type { ReleasesConfig } from './release.config.js';

/** Wires what is known of newer releases. */
export function releaseParts(
  { logger, metrics }: Pick<Foundation, 'logger' | 'metrics'>,
  { index, publicKeyFiles, channel, everyMs }: ReleasesConfig,
): ReleaseWatch {
  const source = index === undefined ? undefined : new ReleaseSource({ location: index, publicKeyFiles });
  const watch = new ReleaseWatch({ source, version: ownVersion(), channel, everyMs, logger });
  metrics.gauge({
    name: 'crate_upgrade_available',
    help: '1 when there is a newer release of the platform than this one, also one that it cannot read; security="true" when it closes a hole.',
    labels: ['security'],
    collect: (gauge) => {
      const isSecurity = isHoleOpen(watch.status());
      for (const security of [true, false]) {
        gauge.set(Number(isSecurity === security), { security: String(security) });
      }
    },
  });
  return watch;
}

/** Whether what is newer closes a hole; undefined when nothing is. */
function isHoleOpen({ available, reason }: PlatformStatus['upgrade']): boolean | undefined {
  if (reason === 'SecurityReleaseUnreadable') return true;
  return reason === 'ReleaseUnreadable' ? false : available?.isSecurity;
}
