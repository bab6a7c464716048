/** One statement of an IAM policy. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string;
  readonly Condition?: Record<string, Record<string, string | readonly string[]>>;
}

/** Tag of every volume that the EBS CSI driver has made, with its name in the cluster. */
const OF_DRIVER = 'CSIVolumeName';

/**
 * What a metered platform calls. It takes no resource.
 * Source: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsmarketplacemeteringservice.html
 */
export const METERING_ACTIONS = ['aws-marketplace:MeterUsage'];

/** What pods on the workers of a metered platform may do: no more, since each of them can. */
export function meteringStatements(): Statement[] {
  return [{ Sid: 'Meter', Effect: 'Allow', Action: METERING_ACTIONS, Resource: '*' }];
}

/**
 * What runs on machines of the control plane may do: what the EBS CSI driver needs, whose controller runs there. It may make volumes that carry the
 * cluster's tag, and attach, grow and delete only what carries it, to machines that carry it. Nothing of snapshots, and no keys but that of AWS for EBS.
 * Source: https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/example-iam-policy.json
 */
export function controlPlaneStatements(clusterTag: string): Statement[] {
  const setsTag = { [`aws:RequestTag/${clusterTag}`]: 'owned' };
  return [
    {
      Sid: 'ObserveVolumes',
      Effect: 'Allow',
      Action: [
        'ec2:DescribeAvailabilityZones',
        'ec2:DescribeInstances',
        'ec2:DescribeTags',
        'ec2:DescribeVolumes',
        'ec2:DescribeVolumesModifications',
      ],
      Resource: '*',
    },
    {
      Sid: 'CreateVolumes',
      Effect: 'Allow',
      Action: ['ec2:CreateVolume'],
      Resource: '*',
      Condition: { StringEquals: setsTag },
    },
    {
      Sid: 'TagVolumesOnCreate',
      Effect: 'Allow',
      Action: ['ec2:CreateTags'],
      Resource: '*',
      Condition: { StringEquals: { ...setsTag, 'ec2:CreateAction': 'CreateVolume' } },
    },
    {
      // AWS looks at both, the volume and the machine.
      Sid: 'AttachVolumes',
      Effect: 'Allow',
      Action: ['ec2:AttachVolume', 'ec2:DetachVolume'],
      Resource: '*',
      Condition: { StringEquals: { [`aws:ResourceTag/${clusterTag}`]: 'owned' } },
    },
    {
      // Machines have disks of the cluster's tag as well: those say whose they are by another tag, and are not the driver's.
      Sid: 'ChangeVolumes',
      Effect: 'Allow',
      Action: ['ec2:DeleteVolume', 'ec2:ModifyVolume'],
      Resource: '*',
      Condition: {
        StringEquals: { [`aws:ResourceTag/${clusterTag}`]: 'owned' },
        Null: { [`aws:ResourceTag/${OF_DRIVER}`]: 'false' },
      },
    },
  ];
}
