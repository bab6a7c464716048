import { describe, expect, it } from '@jest/globals';
import { anInput } from '../testing/an-input.js';
import { synthesizeAwsCluster } from '../synthesize.js';

const { resource } = synthesizeAwsCluster(anInput()).document as {
  resource: { aws_instance: Record<string, { user_data?: string }> };
};

function firstBootOf(machine: string): string {
  return resource.aws_instance[machine]?.user_data ?? '';
}

describe.each(['demo-control-plane-0', 'demo-workers-0'])('the first boot of %s', (machine) => {
  const firstBoot = firstBootOf(machine);

  it('installs a Docker that the engine can talk to, and keeps it: those of Ubuntu are newer', () => {
    const version = '5:28.5.2-1~ubuntu.22.04~jammy';
    expect(firstBoot).toContain(`docker-ce=${version} docker-ce-cli=${version} containerd.io;`);
    expect(firstBoot).toContain('apt-mark hold docker-ce docker-ce-cli containerd.io');
    expect(firstBoot).not.toContain('docker.io');
  });

  it('takes the key of that repository only if it is the one that Docker has published', () => {
    expect(firstBoot).toMatch(/\[ "\$found" = 9DC858229FC7DD38854AE2D88D81803C0EBFCD88 \] \|\| \{ .*exit 1; \}/);
    expect(firstBoot).toContain('deb [signed-by=$key] https://download.docker.com/linux/ubuntu jammy stable');
  });

  it('has nothing that Terraform would take for a template', () => {
    expect(firstBoot).not.toMatch(/[$%]\{/);
  });

  it('has Docker rotate the logs of containers, before it starts: nothing else does, also not those of etcd and kubelets', () => {
    const [, file] = /path: \/etc\/docker\/daemon\.json\n +content: \|\n +(.*)\n/.exec(firstBoot) ?? [];
    expect(JSON.parse(file ?? '')).toEqual({
      'log-driver': 'json-file',
      'log-opts': { 'max-size': '50m', 'max-file': '3' },
    });
  });

  it('is shorter than EC2 lets it be', () => {
    expect(Buffer.byteLength(firstBoot)).toBeLessThan(16 * 1024);
  });

  it('gives its file system what the disk has grown by, without a restart', () => {
    expect(firstBoot).toMatch(/path: \/etc\/systemd\/system\/grow-root\.timer\n +content: \|\n +\[Timer\]\n/);
    expect(firstBoot).toContain('[systemctl, enable, --now, grow-root.timer]');
  });

  it('makes the group of etcd with the id that the engine is told, before the user', () => {
    expect(firstBoot).toContain("[cloud-init-per, once, etcd-group, groupadd, --gid, '52034', etcd]");
    expect(firstBoot).toMatch(/^groups: \[docker\]$/m);
  });
});

describe('the first boot of the bastion', () => {
  it('lets the engine open its connections to all machines at once', () => {
    const firstBoot = firstBootOf('demo-bastion');
    expect(firstBoot).toMatch(
      /path: \/etc\/ssh\/sshd_config\.d\/90-crate\.conf\n.*content: \|\n +MaxStartups 300:30:600\n/,
    );
    expect(firstBoot).toContain('[systemctl, reload, ssh]');
  });
});
