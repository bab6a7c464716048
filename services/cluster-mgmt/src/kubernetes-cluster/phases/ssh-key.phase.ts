import { PlatformError } from '@crate/errors';
import { settled, type Outcome, type ReconcileContext } from '@crate/reconcile';
import type { SecretStore } from '@crate/secrets';
import { SECRET_KINDS } from '../../engine/secret-kinds.js';
import { newSshKeyPair, publicKeyOf } from '../../ssh/ssh-key-pair.js';
import type { KubernetesClusterScope } from '../kubernetes-cluster.scope.js';

/** Makes the key pair that machines are created with, once; only its public half ever leaves the secret store. */
export class SshKeyPhase {
  constructor(private readonly secrets: SecretStore) {}

  readonly run = async (scope: KubernetesClusterScope, context: ReconcileContext): Promise<Outcome> => {
    const { metadata, status } = scope.cluster;
    const published = status?.sshPublicKey;
    const versions = await this.secrets.versions(metadata.uid, SECRET_KINDS.sshPrivateKey);
    if (versions.length > 0) {
      scope.sshPublicKey = published ?? (await this.readPublicKey(metadata.uid, commentOf(scope)));
      return settled;
    }
    // Machines know the published key; a new one would lock us out of them for good.
    if (published !== undefined) throw keyLost();
    const pair = newSshKeyPair(commentOf(scope));
    await this.secrets.put(metadata.uid, SECRET_KINDS.sshPrivateKey, Buffer.from(pair.privateKey), {
      epoch: context.epoch,
    });
    scope.sshPublicKey = pair.publicKey;
    return settled;
  };

  private async readPublicKey(uid: string, comment: string): Promise<string> {
    const stored = await this.secrets.find(uid, SECRET_KINDS.sshPrivateKey);
    if (!stored) throw keyLost();
    return publicKeyOf(Buffer.from(stored.plain).toString('utf8'), comment);
  }
}

function commentOf({ cluster }: KubernetesClusterScope): string {
  return `crate-${cluster.metadata.name}`;
}

function keyLost(): PlatformError {
  return new PlatformError('Unavailable', 'The private SSH key of the machines is missing from the secret store', {
    retry: 'slow',
    details: { reason: 'SshKeyLost', remedy: 'Restore the secret store from its backup' },
  });
}
