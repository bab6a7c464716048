import { describe, expect, it } from '@jest/globals';
import type { ProcessResult } from '@crate/process';
import { RkeFailures } from './rke-failure.js';
import { parseRkeLogLine } from './rke-log.js';

const failed: ProcessResult = { exitCode: 1, signal: undefined, durationMs: 1, stoppedBy: undefined };

function explain(lines: readonly string[], result: Partial<ProcessResult> = {}): ReturnType<RkeFailures['explain']> {
  const failures = new RkeFailures();
  for (const line of lines) {
    const parsed = parseRkeLogLine(line);
    if (parsed) failures.read(parsed);
  }
  return failures.explain({ ...failed, ...result });
}

describe('RkeFailures', () => {
  it.each([
    {
      line: 'FATA[0225] Cluster must have at least one etcd plane host: failed to connect to the following etcd host(s) [10.0.0.1]',
      reason: 'SshUnreachable',
      code: 'Unavailable',
    },
    {
      line: 'FATA[0000] Provisioning incomplete, host(s) [10.0.0.1] skipped because they could not be contacted',
      reason: 'SshUnreachable',
      code: 'Unavailable',
    },
    {
      line: 'FATA[0000] Failed to validate cluster: v1.9.9-rancher1-1 is an unsupported Kubernetes version and system images are not populated: etcd image is not populated',
      reason: 'VersionNotSupported',
      code: 'InvalidSpec',
    },
    {
      line: 'FATA[0000] Failed to validate cluster: Role [boss] for host (1) is not recognized',
      reason: 'EngineConfigRejected',
      code: 'InvalidSpec',
    },
    {
      line: 'FATA[0100] [controlPlane] Failed to bring up Control Plane: Failed to verify healthcheck: service [kube-apiserver] on host [10.0.0.1]',
      reason: 'ControlPlaneFailed',
      code: 'Unavailable',
    },
    {
      line: 'FATA[0100] [etcd] Failed to bring up Etcd Plane: etcd cluster is unhealthy',
      reason: 'ControlPlaneFailed',
      code: 'Unavailable',
    },
    {
      line: 'FATA[0011] Failed to reconcile etcd plane: Etcd plane nodes are replaced. Stopping provisioning. Please restore your cluster from backup.',
      reason: 'EtcdLost',
      code: 'Unavailable',
    },
    { line: 'FATA[0010] Something new', reason: 'EngineFailed', code: 'Unavailable' },
  ])('gives $reason for: $line', ({ line, reason, code }) => {
    expect(explain([line])).toMatchObject({ code, details: { reason, remedy: expect.any(String) as unknown } });
  });

  it('tells a Docker that does not speak with the engine from a machine that does not answer', () => {
    const error = explain([
      "WARN[0031] Failed to set up SSH tunneling for host [10.0.0.1]: Can't retrieve Docker Info: Error response from daemon: client version 1.24 is too old. Minimum supported API version is 1.44, please upgrade your client to a newer version",
      'FATA[0031] Cluster must have at least one etcd plane host: failed to connect to the following etcd host(s) [10.0.0.1]',
    ]);

    expect(error).toMatchObject({ code: 'Unavailable', retry: 'slow', details: { reason: 'DockerNotSupported' } });
    expect(error?.details.remedy).toContain('Docker 28');
  });

  it('promises nobody that what etcd held comes back', () => {
    const error = explain(['FATA[0011] Failed to reconcile etcd plane: Etcd plane nodes are replaced.']);

    expect(error?.retry).toBe('slow');
    expect(error?.details.remedy).toContain('create it anew');
    expect(error?.details.remedy).not.toContain('tried again');
  });

  it('adds the first word of a machine that was not reached', () => {
    const error = explain([
      'WARN[0225] Failed to set up SSH tunneling for host [10.0.0.1]: unable to authenticate',
      'WARN[0226] Failed to set up SSH tunneling for host [10.0.0.2]: unable to authenticate',
      'FATA[0227] Cluster must have at least one etcd plane host: failed to connect to the following etcd host(s) [10.0.0.1 10.0.0.2]',
    ]);

    expect(error?.message).toContain('for host [10.0.0.1]: unable to authenticate');
    expect(error?.message).not.toContain('for host [10.0.0.2]: unable');
  });

  it.each([
    { result: { exitCode: undefined, signal: 'SIGKILL' as const }, reason: 'EngineFailed' },
    { result: { exitCode: undefined, signal: 'SIGTERM' as const, stoppedBy: 'timeout' as const }, reason: 'Timeout' },
    { result: { exitCode: undefined, signal: 'SIGTERM' as const, stoppedBy: 'abort' as const }, reason: 'Timeout' },
  ])('explains an end without a word: $result', ({ result, reason }) => {
    expect(explain([], result)).toMatchObject({ details: { reason } });
  });

  it('finds nothing wrong with a run that ended well, whatever it warned of', () => {
    expect(explain(['WARN[0000] This is not an officially supported version'], { exitCode: 0 })).toBeUndefined();
  });

  it('keeps messages short', () => {
    expect(explain([`FATA[0000] ${'x'.repeat(5000)}`])?.message.length).toBeLessThanOrEqual(400);
  });
});
