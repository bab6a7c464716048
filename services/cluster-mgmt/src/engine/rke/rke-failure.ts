import type { PlatformError } from '@crate/errors';
import type { ProcessResult } from '@crate/process';
import { engineFailure, type EngineFailureCode } from '../engine-failure.js';
import type { RkeLogLine } from './rke-log.js';
import { nodeWhoseTurnItIs } from './rke-progress.js';

const MAX_MESSAGE = 400;

/** What Docker says to an engine that speaks none of its APIs. The fatal line says of such a machine only that it was not reached. */
const DOCKER_TOO_NEW = /client version [\d.]+ is too old/;
/** It has logged in to the machine, and nobody listens at Docker's socket, or the user may not use it. Source: hosts/dialer.go of RKE. */
const DOCKER_SILENT = /Unable to access the (service on \S*docker\.sock|Docker socket)/;
/** Words of a fatal line that counts machines; a warning of each says what is wrong with it. */
const NOT_REACHED =
  /failed to connect to the following|SSH tunneling|could not be contacted|cannot be reached prior to upgrade|dial ssh|unable to authenticate/i;

/** Also of a machine that is asked for still, and not reached: etcd may be well there. Source: isEtcdPlaneReplaced of RKE. */
const ETCD_REPLACED = /Etcd plane nodes are replaced/i;

/** The engine's own words by what they mean; the first match decides. */
const PATTERNS: readonly (readonly [RegExp, EngineFailureCode])[] = [
  // It says so when no machine of etcd that it reaches is one of those before, and goes no further.
  [ETCD_REPLACED, 'EtcdLost'],
  [/is an unsupported Kubernetes version|is not valid semver|system images are not populated/, 'VersionNotSupported'],
  // Before what looks at planes: a node of either may be the one, and its pods may be called anything.
  [/error draining node \S+:/, 'NodeNotDrained'],
  [NOT_REACHED, 'SshUnreachable'],
  [/Failed to (validate cluster|parse cluster file|resolve cluster file)/, 'EngineConfigRejected'],
  [/service \[(kubelet|kube-proxy)\] on host|host \S+ not ready/, 'NodeFailed'],
  [/^\[(etcd|controlPlane)\] |^Failed to reconcile etcd plane|service \[(etcd|kube-apiserver)\]/, 'ControlPlaneFailed'],
];

/** A machine that the engine could not use, in its words. */
interface Unusable {
  readonly host: string;
  readonly why: string;
}

/** Collects what the engine complains about, to explain its end. */
export class RkeFailures {
  private fatal: string | undefined;
  /** The node whose turn it was last. */
  private node: string | undefined;
  private readonly unusable: Unusable[] = [];

  /** Given the addresses of machines that may still be in their first boot, and of those that etcd never runs on. */
  constructor(
    private readonly booting: ReadonlySet<string> = new Set(),
    private readonly withoutEtcd: ReadonlySet<string> = new Set(),
  ) {}

  read(line: RkeLogLine): void {
    if (line.level === 'fatal') this.fatal = line.message;
    this.node = nodeWhoseTurnItIs(line.message) ?? this.node;
    const [, host, why] = /^Failed to set up SSH tunneling for host \[([^\]]+)\](?:: )?(.*)$/s.exec(line.message) ?? [];
    if (host !== undefined && why !== undefined) this.unusable.push({ host, why });
  }

  /** Why the run ended; undefined when it ended well. */
  explain(result: ProcessResult): PlatformError | undefined {
    if (result.stoppedBy === 'timeout') {
      const where = this.node === undefined ? '' : ` at node ${this.node}, where the next run goes on`;
      return engineFailure('Timeout', `The engine took longer than it may and was stopped${where}`);
    }
    if (result.stoppedBy === 'abort')
      return engineFailure('Timeout', 'The engine was asked to stop before it was done');
    if (result.exitCode === 0) return undefined;
    if (this.fatal === undefined) {
      const end = result.signal ? `was ended by ${result.signal}` : `ended with exit code ${result.exitCode ?? 'none'}`;
      return engineFailure('EngineFailed', `The engine ${end} and gave no reason`);
    }
    return this.explainFatal(this.fatal);
  }

  private explainFatal(fatal: string): PlatformError {
    const isReplaced = ETCD_REPLACED.test(fatal);
    const worst = this.worst(isReplaced ? this.unusable.filter(({ host }) => this.mayHoldEtcd(host)) : this.unusable);
    const code = this.classify(fatal, worst);
    if (!worst) return engineFailure(code, cut(fatal));
    const others = this.unusable.length - 1;
    const machine = `${worst.host}: ${causeIn(worst.why)}${others > 0 ? `, and ${others} more` : ''}`;
    // Whoever reads only the beginning reads the cause.
    return engineFailure(
      code,
      cut(isReplaced || NOT_REACHED.test(fatal) ? `${machine} (${fatal})` : `${fatal} (${machine})`),
    );
  }

  /** A machine that may be in its first boot has never held what etcd did. */
  private mayHoldEtcd(host: string): boolean {
    return !this.booting.has(host) && !this.withoutEtcd.has(host);
  }

  /** The same one from run to run, whoever is told of first. One that lets nobody in before one whose Docker is not up, and that before one that boots. */
  private worst(unusable: readonly Unusable[]): Unusable | undefined {
    const sorted = unusable.toSorted((a, b) => a.host.localeCompare(b.host));
    return (
      sorted.find(({ why }) => !DOCKER_SILENT.test(why)) ??
      sorted.find(({ host }) => !this.booting.has(host)) ??
      sorted[0]
    );
  }

  private classify(fatal: string, worst: Unusable | undefined): EngineFailureCode {
    if (DOCKER_TOO_NEW.test(`${fatal} ${worst?.why ?? ''}`)) return 'DockerNotSupported';
    const said = PATTERNS.find(([pattern]) => pattern.test(fatal))?.[1] ?? 'EngineFailed';
    // Whoever is told that etcd is lost deletes the cluster.
    const code = said === 'EtcdLost' && worst ? 'SshUnreachable' : said;
    if (code !== 'SshUnreachable' || !worst || !DOCKER_SILENT.test(worst.why)) return code;
    return this.booting.has(worst.host) ? 'FirstBoot' : 'DockerNotReady';
  }
}

/** The engine puts hundreds of characters of advice before it. */
function causeIn(why: string): string {
  const cause = /.*\bError: (.+)$/s.exec(why)?.[1] ?? why.replace(/^.*docker\.sock\/[^"]*": |^Can't [^:]+: /s, '');
  return DOCKER_SILENT.test(why) ? `Docker does not answer: ${cause}` : cause;
}

function cut(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`;
}
