import { readClusterConfig } from './read-cluster-config.js';
import type { RkeLog } from './rke-log.js';
import type { RunClient } from './run-client.js';
import { SshLogin } from './ssh-login.js';

/** `rke etcd snapshot-save` and `snapshot-restore`: snapshots are kept on the etcd hosts. */
export class SnapshotCommand {
  constructor(
    private readonly sandbox: RunClient,
    private readonly log: RkeLog,
  ) {}

  async run(action: 'snapshot-save' | 'snapshot-restore', configPath: string, name: string): Promise<void> {
    const config = await readClusterConfig(configPath);
    const isSave = action === 'snapshot-save';
    this.log.info(isSave ? `Starting saving snapshot on etcd hosts` : `Restoring etcd snapshot ${name}`);
    const login = await new SshLogin(config).answer(await this.sandbox.challenge());
    for await (const event of this.sandbox.run(`/v1/clusters/${action}`, { ...login, name })) {
      if (event.event === 'log') this.log[event.level](event.message);
    }
    this.log.info(
      isSave
        ? `Finished saving/uploading snapshot [${name}] on all etcd hosts`
        : `Finished restoring snapshot [${name}] on all etcd hosts`,
    );
  }
}
