import { createInterface } from 'node:readline/promises';
import { readClusterConfig } from './read-cluster-config.js';
import type { RkeLog } from './rke-log.js';
import type { RunClient } from './run-client.js';
import { SshLogin } from './ssh-login.js';
import { engineFiles, removeFile } from './state-file.js';

/** `rke remove`: takes Kubernetes off the hosts. Doing it twice is fine. */
export class RemoveCommand {
  constructor(
    private readonly sandbox: RunClient,
    private readonly log: RkeLog,
  ) {}

  async run(configPath: string, isForced: boolean): Promise<void> {
    if (!isForced && !(await isConfirmed())) return;
    const config = await readClusterConfig(configPath);
    const files = engineFiles(configPath);

    this.log.info('Tearing down Kubernetes cluster');
    const login = await new SshLogin(config).answer(await this.sandbox.challenge());
    for await (const event of this.sandbox.run('/v1/clusters/remove', login)) {
      if (event.event === 'log') this.log[event.level](event.message);
    }
    this.log.info(`Removing local admin Kubeconfig: ${files.kubeConfig}`);
    if (await removeFile(files.kubeConfig)) this.log.info('Local admin Kubeconfig removed successfully');
    this.log.info(`Removing state file: ${files.state}`);
    if (await removeFile(files.state)) this.log.info('State file removed successfully');
    this.log.info('Cluster removed successfully');
  }
}

async function isConfirmed(): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question('Are you sure you want to remove Kubernetes cluster [y/n]: ');
  prompt.close();
  return answer.trim().toLowerCase() === 'y';
}
