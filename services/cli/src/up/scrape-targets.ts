import { rm } from 'node:fs/promises';
import type { DataDir } from './data-dir.js';
import type { RunRecord } from './run-file.js';
import { replaceFile } from './secret-file.js';

const MODE = 0o644;

/** A group of targets as Prometheus reads it. Source: https://prometheus.io/docs/prometheus/latest/configuration/configuration/#file_sd_config */
export interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Where the metrics of a platform are, also of processes that are between two lives. Pure. */
export function scrapeTargets({ processes }: Pick<RunRecord, 'processes'>): readonly TargetGroup[] {
  return Object.entries(processes).flatMap(([name, { healthUrl }]) => {
    if (healthUrl === undefined) return [];
    return { targets: [new URL(healthUrl).host], labels: { service: name.replace(/-\d+$/, ''), replica: name } };
  });
}

/** Tells a Prometheus that follows the file whom to scrape. */
export async function writeScrapeTargets(dir: DataDir, record: RunRecord): Promise<void> {
  await replaceFile(dir.scrapeTargetsFile(), `${JSON.stringify(scrapeTargets(record), undefined, 2)}\n`, MODE);
}

/** Nothing is there to be scraped any more. */
export async function removeScrapeTargets(dir: DataDir): Promise<void> {
  await rm(dir.scrapeTargetsFile(), { force: true });
}
