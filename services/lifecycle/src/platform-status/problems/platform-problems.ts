import { LATE_CALL_MS } from '@crate/messaging';
import type { PlatformProblem, PlatformStatus } from '@crate/api';
import { critical, runbook, warning } from './problem.js';
import { serviceProblems } from './service-problems.js';

type Told = Omit<PlatformStatus, 'kind' | 'detail' | 'health' | 'problems'>;

const DAY_MS = 86_400_000;
/** These are those of the alerts of the same name. */
const CERTIFICATE_SOON_MS = 14 * DAY_MS;
const TAKEN_CONNECTIONS = 0.85;
const LONG_TRANSACTION_SECONDS = 300;
/** New tokens of who is ahead by more are refused at first. */
const SKEW_WARN_MS = 5_000;
/** Calls to who is ahead by more than they may take and this are refused. */
const SKEW_CRITICAL_MS = LATE_CALL_MS;

/** What somebody should do something about, the worst first. Pure. */
export function platformProblems(told: Told): readonly PlatformProblem[] {
  const all = [
    ...told.services.flatMap(serviceProblems),
    ...unawareOfRecovery(told),
    ...natsProblems(told),
    ...told.postgres.flatMap(postgresProblems),
    ...told.certificates.flatMap((each) => certificateProblems(each, Date.parse(told.at))),
    ...clockProblems(told),
    ...versionProblems(told),
    ...upgradeProblems(told),
    ...marketplaceProblems(told),
  ];
  return [...all.filter(isCritical), ...all.filter((each) => !isCritical(each))];
}

const isCritical = ({ severity }: PlatformProblem): boolean => severity === 'critical';

/** A database is restored as a whole. Who lost the marker does not notice it, and destroys what the others hold. */
function unawareOfRecovery({ services }: Told): readonly PlatformProblem[] {
  const aware = services.filter(({ recovering }) => recovering).map(({ name }) => name);
  const unaware = services.filter(
    ({ answered, recovering, missing }) => answered && !recovering && !missing.some(({ part }) => part === 'recovery'),
  );
  if (aware.length === 0) return [];
  const message = `Does not recover beside ${aware.join(', ')}: nothing was written to it since the backup, or its marker was lost and it holds nothing`;
  const remedy = `See whether its volume is new, or its log says "No recovery marker of before"; then stop all and: crate recovery begin; ${runbook('CrateRecovering')}`;
  return unaware.map(({ name }) => warning({ area: 'recovery', subject: name, message, remedy }));
}

function natsProblems({ nats }: Told): readonly PlatformProblem[] {
  if (nats.connected) return [];
  const message = 'The replica that answers has no connection to NATS, so it reaches no other service';
  const remedy = `See whether nats-server runs and the network leads there: ${runbook('CrateNatsDisconnected')}`;
  return [critical({ area: 'nats', subject: 'NATS', message, remedy })];
}

function postgresProblems(server: PlatformStatus['postgres'][number]): readonly PlatformProblem[] {
  const { name: subject, role, connections, oldestTransactionSeconds: oldest, services } = server;
  const area = 'postgres';
  const of = services.join(', ');
  const found: PlatformProblem[] = [];
  if (role === 'standby') {
    const message = `The database of ${of} is a standby: it takes no writes`;
    found.push(critical({ area, subject, message, remedy: 'Point the services to the primary, or promote this one' }));
  }
  if (connections.used > TAKEN_CONNECTIONS * connections.most) {
    const message = `${connections.used} of ${connections.most} connections are taken`;
    const remedy = `Add up the pools of all replicas and four more of each, and see who holds the others: ${runbook('CratePostgresConnectionsHigh')}`;
    found.push(warning({ area, subject, message, remedy }));
  }
  if (oldest > LONG_TRANSACTION_SECONDS) {
    const remedy = `Find it in pg_stat_activity and end it: ${runbook('CratePostgresLongTransaction')}`;
    found.push(warning({ area, subject, message: `A transaction has been open for ${oldest} s`, remedy }));
  }
  return found;
}

function certificateProblems(
  { service, use, expiresAt }: PlatformStatus['certificates'][number],
  now: number,
): readonly PlatformProblem[] {
  const leftMs = Date.parse(expiresAt) - now;
  if (leftMs > CERTIFICATE_SOON_MS) return [];
  const words = { area: 'certificate', subject: `${service}/${use}` } as const;
  const remedy = `Put a new one in the place of its file; it is taken up without a restart: ${runbook('CrateCertificateExpiring')}`;
  if (leftMs <= 0) return [critical({ ...words, message: `It ended on ${expiresAt}`, remedy })];
  return [warning({ ...words, message: `It ends on ${expiresAt}`, remedy })];
}

function clockProblems({ clockSkewMs }: Told): readonly PlatformProblem[] {
  if (clockSkewMs === undefined || clockSkewMs <= SKEW_WARN_MS) return [];
  const words = {
    area: 'clock',
    subject: 'replicas',
    message: `The clocks of replicas are ${(clockSkewMs / 1_000).toFixed(1)} s apart`,
    remedy:
      'Keep the clocks of all hosts by NTP; from 5 s on services may refuse the tokens of each other, from 30 s on also calls',
  } as const;
  return [clockSkewMs > SKEW_CRITICAL_MS ? critical(words) : warning(words)];
}

function versionProblems({ versions }: Told): readonly PlatformProblem[] {
  if (versions.length < 2) return [];
  const message = `Replicas run ${versions.join(' and ')}`;
  const remedy = 'Wait for the upgrade to end; when none is under way, end the replicas of the old version';
  return [warning({ area: 'version', subject: 'replicas', message, remedy })];
}

/** A newer version is no problem; a hole that stays open is, and not to know of one, too. */
function upgradeProblems({ upgrade: { available, reason, message } }: Told): readonly PlatformProblem[] {
  const words = { area: 'version', subject: 'releases', message } as const;
  if (available?.isSecurity) {
    const remedy = `Upgrade to ${available.version}${available.notes === undefined ? '' : `: ${available.notes}`}`;
    return [warning({ ...words, remedy })];
  }
  if (reason === 'ReleaseUnreadable' || reason === 'SecurityReleaseUnreadable') {
    const remedy =
      'Upgrade by Helm or from a checkout, as the notes of the newer version say: docs/release/upgrading.md';
    return [warning({ ...words, remedy })];
  }
  if (reason !== 'IndexUnreadable') return [];
  const remedy = 'See that CRATE_RELEASES_INDEX can be reached, and that CRATE_RELEASES_PUBLIC_KEY_FILES are its keys';
  return [warning({ ...words, remedy })];
}

const MARKETPLACE_TROUBLES = ['NotReported', 'NotEntitled', 'HoursMissed'];

/** Never more than a warning: clusters do not depend on it. */
function marketplaceProblems({ marketplace }: Told): readonly PlatformProblem[] {
  if (marketplace === undefined || !MARKETPLACE_TROUBLES.includes(marketplace.reason)) return [];
  const { message } = marketplace;
  const remedy = 'See what the message says of AWS, and docs/install/aws-marketplace.md under metering';
  return [warning({ area: 'marketplace', subject: 'AWS Marketplace', message, remedy })];
}
