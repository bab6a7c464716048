import { readFile } from 'node:fs/promises';
import type { KeyObject } from 'node:crypto';
import type { TunnelRequest } from '../cluster/rke-protocol.js';
import { proveKey } from '../ssh/proof.js';
import { authorizedKeyOf } from '../ssh/public-key.js';
import { parsePrivateKey } from '../ssh/private-key.js';
import type { ClusterConfig, NodeConfig } from './cluster-config.js';
import { homeDirectory } from './config.js';
import { RkeError } from './rke-error.js';

const ROLES = ['etcd', 'controlplane', 'worker'] as const;

/** Opens the private keys named in the configuration and answers the sandbox's challenge with each. */
export class SshLogin {
  private readonly keys = new Map<string, KeyObject>();

  constructor(private readonly config: ClusterConfig) {}

  /** Throws RkeError when a key cannot be read; the message names the file, never its content. */
  async answer(challenge: string): Promise<TunnelRequest> {
    const { bastion_host: bastion, nodes } = this.config;
    const answers: TunnelRequest = { challenge, nodes: [] };
    for (const node of nodes) answers.nodes.push({ ...host(node), ...(await this.prove(node, challenge)) });
    if (!bastion?.address) return answers;
    return { ...answers, bastion: { address: bastion.address, ...(await this.prove(bastion, challenge)) } };
  }

  private async prove(
    owner: Pick<NodeConfig, 'ssh_key' | 'ssh_key_path'>,
    challenge: string,
  ): Promise<{ authorizedKey: string; proof: string }> {
    const key = owner.ssh_key === undefined ? await this.fromFile(owner.ssh_key_path) : open(owner.ssh_key, 'ssh_key');
    return { authorizedKey: authorizedKeyOf(key), proof: proveKey(key, challenge) };
  }

  private async fromFile(path = this.config.ssh_key_path): Promise<KeyObject> {
    const known = this.keys.get(path);
    if (known) return known;
    const key = open(await readKeyFile(path), path);
    this.keys.set(path, key);
    return key;
  }
}

function host(node: NodeConfig): Omit<TunnelRequest['nodes'][number], 'authorizedKey' | 'proof'> {
  return {
    address: node.address,
    internalAddress: node.internal_address,
    hostname: node.hostname_override,
    roles: ROLES.filter((role) => node.role.includes(role)),
    labels: node.labels ?? {},
    taints: (node.taints ?? []).map(({ key, value, effect }) => ({
      key,
      effect,
      ...(value === undefined ? {} : { value }),
    })),
  };
}

async function readKeyFile(path: string): Promise<string> {
  try {
    return await readFile(path.replace(/^~(?=\/)/, homeDirectory()), 'utf8');
  } catch (error) {
    throw new RkeError(`Error while reading SSH key file: open ${path}: no such file or directory`, { cause: error });
  }
}

function open(text: string, source: string): KeyObject {
  try {
    return parsePrivateKey(text);
  } catch (error) {
    throw new RkeError(`Failed to parse the private key [${source}]: ssh: no key found`, { cause: error });
  }
}
