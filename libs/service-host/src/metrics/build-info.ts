import { readFileSync } from 'node:fs';
import type { Metrics } from '@crate/telemetry';

/** Tells which build this is, so that a change of behaviour can be laid beside a change of version. */
export function observeBuild(metrics: Metrics): void {
  const gauge = metrics.gauge({
    name: 'crate_build_info',
    help: 'Always 1; the labels say which version of the service and of Node.js runs.',
    labels: ['version', 'node_version'],
  });
  gauge.set(1, { version: ownVersion(), node_version: process.version });
}

/** All packages of the platform have one version. */
export function ownVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
