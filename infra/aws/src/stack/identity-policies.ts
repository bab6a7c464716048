/** One statement of an IAM policy. */
export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string;
  readonly Condition?: Record<string, Record<string, string | readonly string[]>>;
}

// Calls that describe take no resource in IAM; they are what the cloud controller manager asks.
const OBSERVE: Statement = {
  Sid: 'Observe',
  Effect: 'Allow',
  Action: [
    'ec2:DescribeAvailabilityZones',
    'ec2:DescribeInstances',
    'ec2:DescribeRegions',
    'ec2:DescribeRouteTables',
    'ec2:DescribeSecurityGroups',
    'ec2:DescribeSubnets',
    'ec2:DescribeVpcs',
    'elasticloadbalancing:DescribeListeners',
    'elasticloadbalancing:DescribeLoadBalancerAttributes',
    'elasticloadbalancing:DescribeLoadBalancers',
    'elasticloadbalancing:DescribeTargetGroupAttributes',
    'elasticloadbalancing:DescribeTargetGroups',
    'elasticloadbalancing:DescribeTargetHealth',
  ],
  Resource: '*',
};

/** Tag of every volume that the EBS CSI driver has made, with its name in the cluster. */
const OF_DRIVER = 'CSIVolumeName';

/** What runs on machines of the control plane may do: cloud controllers, and the driver of volumes. */
export function controlPlaneStatements(clusterTag: string): Statement[] {
  return [...balancerStatements(clusterTag), ...volumeStatements(clusterTag)];
}

/**
 * What Kubernetes' cloud controller manager needs to keep load balancers of Services: it may create things that carry
 * the cluster's tag, and change or delete only what carries it.
 */
function balancerStatements(clusterTag: string): Statement[] {
  return [
    OBSERVE,
    {
      Sid: 'CreateTagged',
      Effect: 'Allow',
      Action: ['elasticloadbalancing:CreateLoadBalancer', 'elasticloadbalancing:CreateTargetGroup'],
      Resource: '*',
      Condition: { StringEquals: { [`aws:RequestTag/${clusterTag}`]: 'owned' } },
    },
    {
      Sid: 'TagOnCreate',
      Effect: 'Allow',
      Action: ['elasticloadbalancing:AddTags'],
      Resource: '*',
      Condition: {
        StringEquals: {
          [`aws:RequestTag/${clusterTag}`]: 'owned',
          'elasticloadbalancing:CreateAction': ['CreateLoadBalancer', 'CreateTargetGroup'],
        },
      },
    },
    {
      Sid: 'ChangeOwned',
      Effect: 'Allow',
      Action: [
        'ec2:AuthorizeSecurityGroupIngress',
        'ec2:RevokeSecurityGroupIngress',
        'elasticloadbalancing:CreateListener',
        'elasticloadbalancing:DeleteListener',
        'elasticloadbalancing:DeleteLoadBalancer',
        'elasticloadbalancing:DeleteTargetGroup',
        'elasticloadbalancing:DeregisterTargets',
        'elasticloadbalancing:ModifyListener',
        'elasticloadbalancing:ModifyLoadBalancerAttributes',
        'elasticloadbalancing:ModifyTargetGroup',
        'elasticloadbalancing:ModifyTargetGroupAttributes',
        'elasticloadbalancing:RegisterTargets',
      ],
      Resource: '*',
      Condition: { StringEquals: { [`aws:ResourceTag/${clusterTag}`]: 'owned' } },
    },
  ];
}

/**
 * What the EBS CSI driver needs, whose controller runs on machines of the control plane: it may make volumes that carry the cluster's tag, and attach,
 * grow and delete only what carries it, to machines that carry it. Nothing of snapshots, and no keys but that of AWS for EBS.
 * Source: https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/example-iam-policy.json
 */
function volumeStatements(clusterTag: string): Statement[] {
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
