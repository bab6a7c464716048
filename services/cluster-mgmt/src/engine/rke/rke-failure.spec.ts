import { describe, expect, it } from '@jest/globals';
import type { ProcessResult } from '@crate/process';
import { RkeFailures } from './rke-failure.js';
import { parseRkeLogLine } from './rke-log.js';

const failed: ProcessResult = { exitCode: 1, signal: undefined, durationMs: 1, stoppedBy: undefined };

function explain(
  lines: readonly string[],
  result: Partial<ProcessResult> = {},
  booting: readonly string[] = [],
  withoutEtcd: readonly string[] = [],
): ReturnType<RkeFailures['explain']> {
  const failures = new RkeFailures(new Set(booting), new Set(withoutEtcd));
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
    {
      line: 'FATA[0100] Failed to reconcile etcd plane: Failed to add etcd member [etcd-demo-control-plane-2] to etcd cluster',
      reason: 'ControlPlaneFailed',
      code: 'Unavailable',
    },
    {
      line: 'FATA[0040] cannot proceed with upgrade of worker since 1 host(s) cannot be reached prior to upgrade',
      reason: 'SshUnreachable',
      code: 'Unavailable',
    },
    {
      line: 'FATA[0040] [controlPlane] Failed to upgrade Control Plane: cannot proceed with upgrade of controlplane since 1 host(s) cannot be reached prior to upgrade',
      reason: 'SshUnreachable',
      code: 'Unavailable',
    },
    {
      line: `FATA[0500] [workerPlane] Failed to upgrade Worker Plane: [error draining node demo-workers-0: error when evicting pods/"etcd-0" -n "shop": global timeout reached: 5m0s]`,
      reason: 'NodeNotDrained',
      code: 'Unavailable',
    },
    {
      line: `FATA[0500] [controlPlane] Failed to upgrade Control Plane: [error draining node demo-control-plane-0: error when evicting pods/"web-0" -n "shop": global timeout reached: 5m0s]`,
      reason: 'NodeNotDrained',
      code: 'Unavailable',
    },
    {
      line: 'FATA[0500] [workerPlane] Failed to upgrade Worker Plane: [Failed to verify healthcheck: Failed to check http://localhost:10248/healthz for service [kubelet] on host [16.187.191.58]: Get "http://localhost:10248/healthz": Unable to access the service on localhost:10248. The service might be still starting up. Error: ssh: rejected: connect failed (Connection refused), log: no space left on device]',
      reason: 'NodeFailed',
      code: 'Unavailable',
    },
    {
      line: 'FATA[0500] [controlPlane] Failed to upgrade Control Plane: [[host demo-control-plane-1 not ready]]',
      reason: 'NodeFailed',
      code: 'Unavailable',
    },
    { line: 'FATA[0010] Something new', reason: 'EngineFailed', code: 'Unavailable' },
  ])('gives $reason for: $line', ({ line, reason, code }) => {
    expect(explain([line])).toMatchObject({ code, details: { reason, remedy: expect.any(String) as unknown } });
  });

  it('says what helps where pods have nowhere to go, or are those of an add-on', () => {
    const line =
      'FATA[0500] [workerPlane] Failed to upgrade Worker Plane: [error draining node demo-workers-0: timeout]';
    expect(explain([line])?.details.remedy).toMatch(
      /no other worker to go to, add one.*add-on go when .* spec\.addOns/,
    );
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

  describe('of machines that are not reached', () => {
    const HOSTS = ['10.0.0.2', '10.0.0.1', '10.0.0.3'];
    const FATAL = `FATA[0227] Cluster must have at least one etcd plane host: failed to connect to the following etcd host(s) [${HOSTS.join(' ')}]`;
    const GET = 'error during connect: Get "http://%2Fvar%2Frun%2Fdocker.sock/v1.24/info": ';
    const NO_LOGIN =
      'Please check if you are able to SSH to the node using the specified SSH Private Key and if you have configured the correct SSH username.';
    const REFUSED = 'ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey]';
    const OPEN_FAILED = 'ssh: rejected: connect failed (open failed)';

    const warning = (host: string, why: string): string =>
      `WARN[0225] Failed to set up SSH tunneling for host [${host}]: Can't retrieve Docker Info: ${GET}${why}`;
    const noLogin = (host: string): string =>
      warning(host, `Unable to access node with address [${host}:22] using SSH. ${NO_LOGIN} Error: ${REFUSED}`);
    const noDocker = (host: string): string =>
      warning(
        host,
        `Unable to access the service on /var/run/docker.sock. The service might be still starting up. Error: ${OPEN_FAILED}`,
      );
    const notAllowed = (host: string): string =>
      warning(
        host,
        'Unable to access the Docker socket (/var/run/docker.sock). Please check if the configured user can execute `docker ps` on the node, and if the SSH server version is at least version 6.7 or higher. Error: ssh: rejected: administratively prohibited (open failed)',
      );

    const tooNew = (host: string): string =>
      `WARN[0031] Failed to set up SSH tunneling for host [${host}]: Can't retrieve Docker Info: Error response from daemon: client version 1.24 is too old.`;

    it('begins with the cause, of the same machine in every run', () => {
      const error = explain([...HOSTS.map(noLogin), FATAL]);

      expect(error?.details.reason).toBe('SshUnreachable');
      expect(error?.message).toMatch(`10.0.0.1: ${REFUSED}, and 2 more (Cluster must have`);
    });

    it.each([
      { name: 'is not up', warn: noDocker, cause: OPEN_FAILED },
      { name: 'may not be used', warn: notAllowed, cause: 'ssh: rejected: administratively prohibited (open failed)' },
    ])('tells a Docker that $name from a machine that lets nobody in', ({ warn, cause }) => {
      const error = explain([...HOSTS.map(warn), FATAL]);

      expect(error?.details.reason).toBe('DockerNotReady');
      expect(error?.details.remedy).toContain('download.docker.com');
      expect(error?.message).toMatch(`10.0.0.1: Docker does not answer: ${cause}, and 2 more`);
    });

    it('blames SSH where it is in the way of some', () => {
      const error = explain([noDocker('10.0.0.1'), noLogin('10.0.0.2'), FATAL]);

      expect(error?.details.reason).toBe('SshUnreachable');
      expect(error?.message).toMatch(`10.0.0.2: ${REFUSED}, and 1 more`);
    });

    it.each([
      { name: 'are all in their first boot', booting: HOSTS, reason: 'FirstBoot', named: '10.0.0.1' },
      { name: 'are old as well', booting: ['10.0.0.1', '10.0.0.3'], reason: 'DockerNotReady', named: '10.0.0.2' },
    ])('gives $reason for a Docker that is missing on machines that $name', ({ booting, reason, named }) => {
      const error = explain([...HOSTS.map((host) => noDocker(host)), FATAL], {}, booting);

      expect(error?.details.reason).toBe(reason);
      expect(error?.message).toMatch(`${named}: Docker does not answer`);
    });

    it('blames SSH of machines in their first boot', () => {
      expect(explain([noLogin('10.0.0.1'), FATAL], {}, HOSTS)?.details.reason).toBe('SshUnreachable');
    });

    it('begins with the machine that keeps an upgrade from all others', () => {
      const fatal =
        'FATA[0040] cannot proceed with upgrade of worker since 1 host(s) cannot be reached prior to upgrade';

      expect(explain([noLogin('10.0.0.3'), fatal])?.message).toMatch(
        `10.0.0.3: ${REFUSED} (cannot proceed with upgrade of worker`,
      );
    });

    it('names those that a run left out at its end', () => {
      const fatal =
        'FATA[0300] Provisioning incomplete, host(s) [10.0.0.3] skipped because they could not be contacted';

      expect(explain([noDocker('10.0.0.3'), fatal])?.details.reason).toBe('DockerNotReady');
    });

    describe('while machines of etcd are others than before', () => {
      const fatal =
        'FATA[0011] Failed to reconcile etcd plane: Etcd plane nodes are replaced. Stopping provisioning. Please restore your cluster from backup.';

      it.each([
        { name: 'lets nobody in', line: noLogin('10.0.0.1'), reason: 'SshUnreachable' },
        { name: 'has a Docker that does not answer', line: noDocker('10.0.0.1'), reason: 'DockerNotReady' },
      ])('takes etcd for lost on none that $name', ({ line, reason }) => {
        const error = explain([noDocker('10.0.0.0'), line, fatal], {}, ['10.0.0.0']);

        expect(error?.details.reason).toBe(reason);
        expect(error?.message).toMatch(/^10\.0\.0\.1: .*Etcd plane nodes are replaced/);
        expect(error?.details.remedy).not.toMatch(/delete/);
      });

      it('takes it for lost where the others are in their first boot', () => {
        const error = explain([noDocker('10.0.0.1'), noLogin('10.0.0.2'), fatal], {}, ['10.0.0.1', '10.0.0.2']);

        expect(error?.details.reason).toBe('EtcdLost');
      });

      it.each([
        { name: 'lets nobody in', line: noLogin('10.0.0.9') },
        { name: 'has a Docker that does not answer', line: noDocker('10.0.0.9') },
        { name: 'has a Docker that is too new', line: tooNew('10.0.0.9') },
      ])('takes it for lost whatever worker $name', ({ line }) => {
        const error = explain([line, fatal], {}, [], ['10.0.0.9']);

        expect(error?.details.reason).toBe('EtcdLost');
        expect(error?.message).not.toContain('10.0.0.9');
      });

      it('names the machine that may hold it beside a worker that is not reached', () => {
        const error = explain([noLogin('10.0.0.1'), noLogin('10.0.0.2'), fatal], {}, [], ['10.0.0.1']);

        expect(error?.details.reason).toBe('SshUnreachable');
        expect(error?.message).toMatch(/^10\.0\.0\.2: /);
      });
    });

    it('leaves another end its own words', () => {
      const error = explain([noDocker('10.0.0.3'), 'FATA[0300] [etcd] Failed: etcd cluster is unhealthy']);

      expect(error?.details.reason).toBe('ControlPlaneFailed');
      expect(error?.message).toMatch(/^\[etcd\] Failed: .* \(10\.0\.0\.3: Docker does not answer/);
    });
  });

  it.each([
    { result: { exitCode: undefined, signal: 'SIGKILL' as const }, reason: 'EngineFailed' },
    { result: { exitCode: undefined, signal: 'SIGTERM' as const, stoppedBy: 'timeout' as const }, reason: 'Timeout' },
    { result: { exitCode: undefined, signal: 'SIGTERM' as const, stoppedBy: 'abort' as const }, reason: 'Timeout' },
  ])('explains an end without a word: $result', ({ result, reason }) => {
    expect(explain([], result)).toMatchObject({ details: { reason } });
  });

  it('says at which node of an upgrade the time was over, and that it goes on there', () => {
    const lines = ['[workerplane] Processing host demo-workers-0', '[workerplane] Processing host demo-workers-1'];

    expect(
      explain(
        lines.map((line) => `INFO[0100] ${line}`),
        { exitCode: undefined, signal: 'SIGTERM', stoppedBy: 'timeout' },
      )?.message,
    ).toBe('The engine took longer than it may and was stopped at node demo-workers-1, where the next run goes on');
  });

  it('finds nothing wrong with a run that ended well, whatever it warned of', () => {
    expect(explain(['WARN[0000] This is not an officially supported version'], { exitCode: 0 })).toBeUndefined();
  });

  it('keeps messages short', () => {
    expect(explain([`FATA[0000] ${'x'.repeat(5000)}`])?.message.length).toBeLessThanOrEqual(400);
  });
});
