import type { PlatformError } from '@crate/errors';
import type { ProcessResult } from '@crate/process';
import { engineFailure, type EngineFailureCode } from '../engine-failure.js';
import type { RkeLogLine } from './rke-log.js';

const MAX_MESSAGE = 400;

/** What Docker says to an engine that speaks none of its APIs. The fatal line says of such a machine only that it was not reached. */
const DOCKER_TOO_NEW = /client version [\d.]+ is too old/;

/** The engine's own words by what they mean; the first match decides. */
const PATTERNS: readonly (readonly [RegExp, EngineFailureCode])[] = [
  // It says so when no machine of etcd is one of those before, and goes no further.
  [/Etcd plane nodes are replaced/i, 'EtcdLost'],
  [/is an unsupported Kubernetes version|is not valid semver|system images are not populated/, 'VersionNotSupported'],
  [
    /failed to connect to the following|SSH tunneling|could not be contacted|dial ssh|unable to authenticate/i,
    'SshUnreachable',
  ],
  [/Failed to (validate cluster|parse cluster file|resolve cluster file)/, 'EngineConfigRejected'],
  [
    /\[?(etcd|controlPlane|kube-apiserver)\]?.*(failed|not healthy|unhealthy|timed? ?out)|healthcheck/i,
    'ControlPlaneFailed',
  ],
];

/** Collects what the engine complains about, to explain its end. */
export class RkeFailures {
  private fatal: string | undefined;
  private unreachable: string | undefined;

  read(line: RkeLogLine): void {
    if (line.level === 'fatal') this.fatal = line.message;
    const tunnel = /^Failed to set up SSH tunneling for host \[([^\]]+)\]/.exec(line.message);
    if (tunnel) this.unreachable ??= line.message;
  }

  /** Why the run ended; undefined when it ended well. */
  explain(result: ProcessResult): PlatformError | undefined {
    if (result.stoppedBy === 'timeout')
      return engineFailure('Timeout', 'The engine took longer than it may and was stopped');
    if (result.stoppedBy === 'abort')
      return engineFailure('Timeout', 'The engine was asked to stop before it was done');
    if (result.exitCode === 0) return undefined;
    if (this.fatal === undefined) {
      const end = result.signal ? `was ended by ${result.signal}` : `ended with exit code ${result.exitCode ?? 'none'}`;
      return engineFailure('EngineFailed', `The engine ${end} and gave no reason`);
    }
    return engineFailure(this.classify(this.fatal), this.message(this.fatal));
  }

  private classify(fatal: string): EngineFailureCode {
    if (DOCKER_TOO_NEW.test(`${fatal} ${this.unreachable ?? ''}`)) return 'DockerNotSupported';
    return PATTERNS.find(([pattern]) => pattern.test(fatal))?.[1] ?? 'EngineFailed';
  }

  /** The fatal line counts hosts; the first warning says what is wrong with one. */
  private message(fatal: string): string {
    const text = this.unreachable === undefined ? fatal : `${fatal} (${this.unreachable})`;
    return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`;
  }
}
