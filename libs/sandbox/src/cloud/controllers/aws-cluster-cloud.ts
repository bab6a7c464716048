import type { ClusterCloud, WantedLoadBalancer, WantedVolume } from '../../cluster/cluster-cloud.js';
import type { CloudObject, Scope } from '../aws/resource-type.js';
import { text } from '../aws/values.js';
import type { Inventory } from '../inventory.js';
import type { CloudCalls } from './cloud-calls.js';
import { controllerHost } from './cluster-tag.js';
import { LoadBalancers, loadBalancerName } from './load-balancers.js';

const VOLUME_NAME = 'CSIVolumeName';

/** What the cloud provider for AWS and the EBS CSI driver do in the simulated cloud. Nothing of it is in any Terraform state. */
export class AwsClusterCloud implements ClusterCloud {
  private readonly balancers: LoadBalancers;

  constructor(
    private readonly inventory: Inventory,
    private readonly calls: CloudCalls,
  ) {
    this.balancers = new LoadBalancers(inventory, calls);
  }

  async ensureLoadBalancer(machineId: string, wanted: WantedLoadBalancer): Promise<string | undefined> {
    const host = controllerHost(this.inventory, machineId);
    return host && this.balancers.ensure(host, wanted);
  }

  async removeLoadBalancer(machineId: string, uid: string): Promise<void> {
    const host = controllerHost(this.inventory, machineId);
    if (host) await this.balancers.remove(host, loadBalancerName(uid));
  }

  async ensureVolume(machineId: string, wanted: WantedVolume): Promise<string | undefined> {
    const host = controllerHost(this.inventory, machineId);
    if (!host) return undefined;
    const { machine, clusterTag } = host;
    const known = this.volumes(machine).find(({ tags }) => tags[VOLUME_NAME] === wanted.name);
    if (known) return known.id;
    const made = await this.calls.create(scopeOf(machine), 'aws_ebs_volume', {
      availability_zone: text(machine.attributes, 'availability_zone'),
      size: wanted.sizeGiB,
      tags: volumeTags(wanted, clusterTag),
    });
    return text(made, 'id');
  }

  async removeVolume(machineId: string, volumeId: string): Promise<void> {
    const host = controllerHost(this.inventory, machineId);
    const volume = host && this.volumes(host.machine).find(({ id }) => id === volumeId);
    if (volume) await this.calls.remove(volume);
  }

  private volumes(machine: CloudObject): CloudObject[] {
    return [...this.inventory.ofType(machine, 'aws_ebs_volume')];
  }
}

/** Source: https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/tagging.md */
function volumeTags({ name, namespace, claim }: WantedVolume, clusterTag: string): Record<string, string> {
  return {
    [VOLUME_NAME]: name,
    'ebs.csi.aws.com/cluster': 'true',
    [clusterTag]: 'owned',
    'kubernetes.io/created-for/pv/name': name,
    'kubernetes.io/created-for/pvc/name': claim,
    'kubernetes.io/created-for/pvc/namespace': namespace,
  };
}

function scopeOf({ account, region }: CloudObject): Scope {
  return { account, region };
}
