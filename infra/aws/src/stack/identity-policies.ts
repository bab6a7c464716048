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

/**
 * What Kubernetes' cloud controller manager needs to keep load balancers of Services: it may create things that carry
 * the cluster's tag, and change or delete only what carries it.
 */
export function controlPlaneStatements(clusterTag: string): Statement[] {
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

/** What a kubelet needs: to know itself, and to pull from the account's image repositories. */
export function workerStatements(): Statement[] {
  return [
    {
      Sid: 'Observe',
      Effect: 'Allow',
      Action: ['ec2:DescribeInstances', 'ec2:DescribeRegions'],
      Resource: '*',
    },
    {
      Sid: 'PullImages',
      Effect: 'Allow',
      Action: [
        'ecr:BatchCheckLayerAvailability',
        'ecr:BatchGetImage',
        'ecr:GetAuthorizationToken',
        'ecr:GetDownloadUrlForLayer',
      ],
      Resource: '*',
    },
  ];
}
