/** Newest Docker with an API that the engine speaks: it knows none newer than 1.43, and Docker 29 takes none older than 1.44. */
const DOCKER = '5:28.5.2-1~ubuntu.22.04~jammy';
const REPOSITORY = 'https://download.docker.com/linux/ubuntu';
/**
 * Of the key that signs that repository. It stands for the key, which is fetched: 4 kB more for each machine would be most of a stack.
 * Source: https://docs.docker.com/engine/install/ubuntu/
 */
const FINGERPRINT = '9DC858229FC7DD38854AE2D88D81803C0EBFCD88';

/** Docker rotates no logs by itself, and kubelets leave those of Docker to it. It reads this when it starts, for containers made from then on. */
const DOCKER_DAEMON = JSON.stringify({
  'log-driver': 'json-file',
  'log-opts': { 'max-size': '50m', 'max-file': '3' },
});

/**
 * First boot of a machine of the cluster. Docker is the one thing the engine expects there; it brings everything else itself. The rest is
 * what CIS asks of a node: kernel settings that kubelets refuse to change themselves (4.2.6), and an owner of etcd's data (1.1.12); and a file
 * system that follows its disk.
 */
export const MACHINE_FIRST_BOOT = `#cloud-config
bootcmd:
  # Before users are made, and with the id that the engine is told; "groups" takes none.
  - [cloud-init-per, once, etcd-group, groupadd, --gid, '52034', etcd]
groups: [docker]
users:
  - default
  - { name: etcd, uid: 52034, primary_group: etcd, system: true, shell: /usr/sbin/nologin }
write_files:
  - path: /etc/sysctl.d/90-kubelet.conf
    content: |
      vm.overcommit_memory=1
      vm.panic_on_oom=0
      kernel.panic=10
      kernel.panic_on_oops=1
  - path: /etc/docker/daemon.json
    content: |
      ${DOCKER_DAEMON}
  - path: /usr/local/sbin/install-docker
    permissions: '0755'
    content: |
      #!/bin/sh
      set -eu
      export DEBIAN_FRONTEND=noninteractive GNUPGHOME="$(mktemp -d)"
      key=/etc/apt/keyrings/docker.asc
      install -d -m 0755 /etc/apt/keyrings
      curl -fsSL --proto =https --retry 20 --retry-all-errors --retry-delay 5 -o "$GNUPGHOME/key" ${REPOSITORY}/gpg
      found="$(gpg --show-keys --with-colons "$GNUPGHOME/key" | awk -F: '$1 == "pub" { p = 1 } $1 == "fpr" && p { print $10; p = 0 }')"
      [ "$found" = ${FINGERPRINT} ] || { echo "Not the key of Docker: $found" >&2; exit 1; }
      install -m 0644 "$GNUPGHOME/key" "$key"
      echo "deb [signed-by=$key] ${REPOSITORY} jammy stable" > /etc/apt/sources.list.d/docker.list
      tries=0
      # Updates of the system may hold the lock.
      until apt-get update && apt-get install -y --no-install-recommends docker-ce=${DOCKER} docker-ce-cli=${DOCKER} containerd.io; do
        tries=$((tries + 1))
        [ "$tries" -lt 20 ] || exit 1
        sleep 15
      done
      apt-mark hold docker-ce docker-ce-cli containerd.io
  # The system itself grows at a start only, and a disk grows while it runs.
  - path: /usr/local/sbin/grow-root
    permissions: '0755'
    content: |
      #!/bin/sh
      set -eu
      part="$(readlink -f "/sys/dev/block/$(mountpoint -d /)")"
      # 1: there is nothing to grow by.
      growpart "/dev/$(basename "$(dirname "$part")")" "$(cat "$part/partition")" || [ $? = 1 ]
      resize2fs "/dev/$(basename "$part")"
  - path: /etc/systemd/system/grow-root.service
    content: |
      [Service]
      Type=oneshot
      ExecStart=/usr/local/sbin/grow-root
  - path: /etc/systemd/system/grow-root.timer
    content: |
      [Timer]
      OnBootSec=5min
      OnUnitActiveSec=5min
      [Install]
      WantedBy=timers.target
runcmd:
  - [sysctl, --system]
  - [systemctl, enable, --now, grow-root.timer]
  - [/usr/local/sbin/install-docker]
system_info:
  default_user:
    groups: [adm, docker, sudo]
`;

/** First boot of a bastion. The engine connects to all machines at once through it, and sshd drops connections at random from the tenth on. */
export const BASTION_FIRST_BOOT = `#cloud-config
write_files:
  - path: /etc/ssh/sshd_config.d/90-crate.conf
    content: |
      MaxStartups 300:30:600
runcmd:
  - [systemctl, reload, ssh]
`;
