import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: demo
clusters: [{ name: demo, cluster: { server: "https://10.20.0.10:6443" } }]
users: [{ name: kube-admin-demo, user: { token: t } }]
contexts: [{ name: demo, context: { cluster: demo, user: kube-admin-demo } }]
`;

/** A folder with an executable `rke` that does what a test's shell script says, and room for workspaces. */
export class FakeRke {
  private constructor(readonly folder: string) {}

  static async create(): Promise<FakeRke> {
    return new FakeRke(await mkdtemp(join(tmpdir(), 'fake-rke-')));
  }

  get binary(): string {
    return join(this.folder, 'rke');
  }

  get workspaceRoot(): string {
    return join(this.folder, 'workspaces');
  }

  /** A file outside of the workspace, for the script to talk to the test. */
  file(name: string): string {
    return join(this.folder, name);
  }

  /** `script` runs in the workspace; `$1` is the command. */
  async install(script: string): Promise<void> {
    await writeFile(this.binary, `#!/bin/sh\nset -e\nout=${this.folder}\n${script}\n`);
    await chmod(this.binary, 0o755);
  }

  /** As an engine that succeeds: state, kubeconfig, a word in the log. */
  async installSuccess(state = '{"serial":1}'): Promise<void> {
    await this.install(`
      echo 'INFO[0000] Initiating Kubernetes cluster'
      echo '${state}' > cluster.rkestate
      cat > kube_config_cluster.yml <<'END'
${KUBECONFIG}END
      echo 'INFO[0001] Finished building Kubernetes cluster successfully'`);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
