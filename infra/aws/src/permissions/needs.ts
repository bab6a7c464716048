/** A call that makes something, and what AWS looks at when it decides about it. */
export interface Making {
  readonly action: string;
  /** Kinds of resources, as ARNs call them, that come to be by it, with tags; none where AWS looks only at what it is made for. */
  readonly makes: readonly string[];
  /** Kinds that it is made for or from, and that are Crate's own. */
  readonly of?: readonly string[];
  /** Kinds that take part and carry tags of nobody: a public image, the network interface of a machine. */
  readonly untagged?: readonly string[];
}

/** What Terraform's provider asks AWS for one type of resource or data source, from its creation to its end. */
export interface Needs {
  /** Calls that only look. */
  readonly reads: readonly string[];
  readonly makes?: readonly Making[];
  /** Calls that change or remove what carries Crate's tags. */
  readonly changes?: readonly string[];
  /** Such calls in which something without tags takes part, too. */
  readonly changesWith?: readonly Pick<Making, 'action' | 'untagged'>[];
  /** Calls on roles and instance profiles below Crate's own path; IAM knows them by it, not by tags. */
  readonly onPath?: readonly string[];
  /** Tags that are set by a call of their own, after the creation. */
  readonly tagsLater?: readonly string[];
  /** Removals of what Kubernetes has made for its own objects, which carries its tag and not Crate's. */
  readonly removesOfKubernetes?: { readonly of: string; readonly tag: string; readonly actions: readonly string[] };
}

const INTERFACES = 'ec2:DescribeNetworkInterfaces';
const TAGS_OF_BALANCERS = 'elasticloadbalancing:DescribeTags';
/** Of load balancers, their parts and their security groups: whoever installs a controller for them has it set this tag. */
const FOR_SERVICES = { of: 'Services', tag: 'kubernetes.io/service-name' };
/** Of disks that the provisioner makes. */
const FOR_CLAIMS = { of: 'Claims', tag: 'kubernetes.io/created-for/pvc/name' };

/**
 * By Terraform's name of the type. Source: the resources of terraform-provider-aws (internal/service), and the service authorization reference
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/), which a test compares.
 */
export const NEEDS: Readonly<Record<string, Needs>> = {
  aws_vpc: {
    reads: [
      'ec2:DescribeVpcs',
      'ec2:DescribeVpcAttribute',
      'ec2:DescribeNetworkAcls',
      'ec2:DescribeRouteTables',
      'ec2:DescribeSecurityGroups',
    ],
    makes: [{ action: 'ec2:CreateVpc', makes: ['vpc'] }],
    changes: ['ec2:ModifyVpcAttribute', 'ec2:DeleteVpc'],
  },
  aws_subnet: {
    reads: ['ec2:DescribeSubnets', INTERFACES],
    makes: [{ action: 'ec2:CreateSubnet', makes: ['subnet'], of: ['vpc'] }],
    changes: ['ec2:ModifySubnetAttribute', 'ec2:DeleteSubnet'],
  },
  aws_internet_gateway: {
    reads: ['ec2:DescribeInternetGateways'],
    makes: [{ action: 'ec2:CreateInternetGateway', makes: ['internet-gateway'] }],
    changes: ['ec2:AttachInternetGateway', 'ec2:DetachInternetGateway', 'ec2:DeleteInternetGateway'],
  },
  aws_route_table: {
    reads: ['ec2:DescribeRouteTables'],
    makes: [{ action: 'ec2:CreateRouteTable', makes: ['route-table'], of: ['vpc'] }],
    changes: ['ec2:DisassociateRouteTable', 'ec2:DeleteRouteTable'],
  },
  aws_route: {
    reads: ['ec2:DescribeRouteTables'],
    changes: ['ec2:CreateRoute', 'ec2:ReplaceRoute', 'ec2:DeleteRoute'],
  },
  aws_route_table_association: {
    reads: ['ec2:DescribeRouteTables'],
    changes: ['ec2:AssociateRouteTable', 'ec2:ReplaceRouteTableAssociation', 'ec2:DisassociateRouteTable'],
  },
  aws_eip: {
    reads: ['ec2:DescribeAddresses', 'ec2:DescribeAddressesAttribute'],
    makes: [{ action: 'ec2:AllocateAddress', makes: ['elastic-ip'] }],
    changes: ['ec2:ReleaseAddress'],
    changesWith: [
      { action: 'ec2:AssociateAddress', untagged: ['network-interface'] },
      { action: 'ec2:DisassociateAddress', untagged: ['network-interface'] },
    ],
  },
  aws_nat_gateway: {
    reads: ['ec2:DescribeNatGateways'],
    makes: [{ action: 'ec2:CreateNatGateway', makes: ['natgateway'], of: ['subnet', 'elastic-ip', 'vpc'] }],
    changes: ['ec2:DeleteNatGateway'],
  },
  aws_security_group: {
    reads: ['ec2:DescribeSecurityGroups', INTERFACES],
    makes: [{ action: 'ec2:CreateSecurityGroup', makes: ['security-group'], of: ['vpc'] }],
    // AWS gives each group a rule that lets everything out; the provider takes it away.
    changes: ['ec2:RevokeSecurityGroupEgress', 'ec2:DeleteSecurityGroup'],
    removesOfKubernetes: { ...FOR_SERVICES, actions: ['ec2:DeleteSecurityGroup'] },
  },
  aws_vpc_security_group_ingress_rule: {
    reads: ['ec2:DescribeSecurityGroupRules'],
    makes: [{ action: 'ec2:AuthorizeSecurityGroupIngress', makes: ['security-group-rule'], of: ['security-group'] }],
    changes: ['ec2:ModifySecurityGroupRules', 'ec2:RevokeSecurityGroupIngress'],
  },
  aws_vpc_security_group_egress_rule: {
    reads: ['ec2:DescribeSecurityGroupRules'],
    makes: [{ action: 'ec2:AuthorizeSecurityGroupEgress', makes: ['security-group-rule'], of: ['security-group'] }],
    changes: ['ec2:ModifySecurityGroupRules', 'ec2:RevokeSecurityGroupEgress'],
  },
  aws_key_pair: {
    reads: ['ec2:DescribeKeyPairs'],
    makes: [{ action: 'ec2:ImportKeyPair', makes: ['key-pair'] }],
    changes: ['ec2:DeleteKeyPair'],
  },
  aws_instance: {
    reads: [
      'ec2:DescribeIamInstanceProfileAssociations',
      'ec2:DescribeInstances',
      'ec2:DescribeInstanceAttribute',
      'ec2:DescribeInstanceCreditSpecifications',
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeImages',
      'ec2:DescribeTags',
      'ec2:DescribeVolumes',
      // Until the change of a disk is done.
      'ec2:DescribeVolumesModifications',
      'ec2:DescribeVpcs',
    ],
    makes: [
      {
        action: 'ec2:RunInstances',
        makes: ['instance'],
        of: ['subnet', 'security-group', 'key-pair'],
        untagged: ['image', 'network-interface', 'volume'],
      },
    ],
    changes: [
      'ec2:AssociateIamInstanceProfile',
      'ec2:DisassociateIamInstanceProfile',
      'ec2:ModifyInstanceAttribute',
      'ec2:ModifyInstanceMetadataOptions',
      'ec2:ModifyVolume',
      'ec2:MonitorInstances',
      'ec2:ReplaceIamInstanceProfileAssociation',
      'ec2:StartInstances',
      'ec2:StopInstances',
      'ec2:TerminateInstances',
      'ec2:UnmonitorInstances',
    ],
    // Security groups are put back at the network interface, where a machine may have several; the groups still have to be Crate's own.
    changesWith: [{ action: 'ec2:ModifyNetworkInterfaceAttribute', untagged: ['network-interface'] }],
    // The disk comes to be with the machine; its tags follow.
    tagsLater: ['volume'],
    onPath: ['iam:PassRole'],
  },
  aws_ebs_volume: {
    reads: ['ec2:DescribeVolumes'],
    changes: ['ec2:DeleteVolume'],
    removesOfKubernetes: { ...FOR_CLAIMS, actions: ['ec2:DeleteVolume'] },
  },
  aws_iam_role: {
    reads: ['iam:ListRoles'],
    onPath: [
      'iam:CreateRole',
      'iam:DeleteRole',
      // What others attached, such as Systems Manager: AWS deletes no role that has policies.
      'iam:DetachRolePolicy',
      'iam:GetRole',
      'iam:ListAttachedRolePolicies',
      'iam:ListInstanceProfilesForRole',
      'iam:ListRolePolicies',
      'iam:ListRoleTags',
      'iam:TagRole',
      'iam:UntagRole',
      'iam:UpdateAssumeRolePolicy',
      'iam:UpdateRole',
      'iam:UpdateRoleDescription',
    ],
  },
  aws_iam_role_policy: { reads: [], onPath: ['iam:DeleteRolePolicy', 'iam:GetRolePolicy', 'iam:PutRolePolicy'] },
  aws_iam_instance_profile: {
    reads: ['iam:ListInstanceProfiles'],
    onPath: [
      'iam:AddRoleToInstanceProfile',
      'iam:CreateInstanceProfile',
      'iam:DeleteInstanceProfile',
      'iam:GetInstanceProfile',
      'iam:ListInstanceProfileTags',
      'iam:PassRole',
      'iam:RemoveRoleFromInstanceProfile',
      'iam:TagInstanceProfile',
      'iam:UntagInstanceProfile',
    ],
  },
  aws_lb: {
    reads: [
      INTERFACES,
      // AWS asks it of whoever makes the first load balancer of an account, before the role that Elastic Load Balancing works as.
      'ec2:DescribeAccountAttributes',
      'elasticloadbalancing:DescribeCapacityReservation',
      'elasticloadbalancing:DescribeLoadBalancerAttributes',
      'elasticloadbalancing:DescribeLoadBalancers',
      TAGS_OF_BALANCERS,
    ],
    makes: [{ action: 'elasticloadbalancing:CreateLoadBalancer', makes: ['loadbalancer/net/*'] }],
    changes: [
      'elasticloadbalancing:DeleteLoadBalancer',
      'elasticloadbalancing:ModifyLoadBalancerAttributes',
      'elasticloadbalancing:SetIpAddressType',
      'elasticloadbalancing:SetSecurityGroups',
      'elasticloadbalancing:SetSubnets',
    ],
    removesOfKubernetes: { ...FOR_SERVICES, actions: ['elasticloadbalancing:DeleteLoadBalancer'] },
  },
  // Crate makes none, and takes those of Services away with the cluster.
  aws_elb: {
    reads: [
      INTERFACES,
      'ec2:DescribeSecurityGroups',
      'elasticloadbalancing:DescribeLoadBalancerAttributes',
      'elasticloadbalancing:DescribeLoadBalancers',
      TAGS_OF_BALANCERS,
    ],
    removesOfKubernetes: { ...FOR_SERVICES, actions: ['elasticloadbalancing:DeleteLoadBalancer'] },
  },
  aws_lb_target_group: {
    reads: [
      'elasticloadbalancing:DescribeTargetGroupAttributes',
      'elasticloadbalancing:DescribeTargetGroups',
      TAGS_OF_BALANCERS,
    ],
    makes: [{ action: 'elasticloadbalancing:CreateTargetGroup', makes: ['targetgroup/*'] }],
    changes: [
      'elasticloadbalancing:DeleteTargetGroup',
      'elasticloadbalancing:ModifyTargetGroup',
      'elasticloadbalancing:ModifyTargetGroupAttributes',
    ],
    removesOfKubernetes: { ...FOR_SERVICES, actions: ['elasticloadbalancing:DeleteTargetGroup'] },
  },
  aws_lb_listener: {
    reads: [
      'elasticloadbalancing:DescribeListenerAttributes',
      'elasticloadbalancing:DescribeListeners',
      TAGS_OF_BALANCERS,
    ],
    makes: [{ action: 'elasticloadbalancing:CreateListener', makes: [], of: ['loadbalancer/net/*'] }],
    changes: [
      'elasticloadbalancing:DeleteListener',
      'elasticloadbalancing:ModifyListener',
      'elasticloadbalancing:ModifyListenerAttributes',
    ],
    removesOfKubernetes: { ...FOR_SERVICES, actions: ['elasticloadbalancing:DeleteListener'] },
  },
  aws_lb_target_group_attachment: {
    reads: ['elasticloadbalancing:DescribeTargetHealth'],
    changes: ['elasticloadbalancing:DeregisterTargets', 'elasticloadbalancing:RegisterTargets'],
  },
  aws_ami: { reads: ['ec2:DescribeImages'] },
  aws_availability_zones: { reads: ['ec2:DescribeAvailabilityZones'] },
};

/** What Crate itself asks: whose credentials these are, what carries its tags, and what else is in a network. */
export const INVENTORY_NEEDS: Needs = {
  reads: [
    'ec2:DescribeInstances',
    'ec2:DescribeKeyPairs',
    'ec2:DescribeNatGateways',
    'ec2:DescribeRouteTables',
    'ec2:DescribeSecurityGroupRules',
    'ec2:DescribeSecurityGroups',
    'ec2:DescribeSubnets',
    'ec2:DescribeVolumes',
    'ec2:DescribeVpcEndpoints',
    INTERFACES,
    'iam:ListInstanceProfiles',
    'iam:ListRoles',
    'sts:GetCallerIdentity',
    'tag:GetResources',
  ],
  onPath: ['iam:ListInstanceProfileTags', 'iam:ListRolePolicies', 'iam:ListRoleTags'],
};
