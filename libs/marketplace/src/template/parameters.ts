import { INSTANCE_TYPES } from './machine-types.js';
import { SHELL_SAFE } from './patterns.js';

/** A parameter of the template, as CloudFormation has it. */
export interface Parameter {
  readonly Type: 'String' | 'Number';
  readonly Description: string;
  /** Absent: it has to be said. */
  readonly Default?: string | number;
  readonly AllowedPattern?: string;
  readonly AllowedValues?: readonly string[];
  readonly MinValue?: number;
  readonly MaxValue?: number;
  readonly ConstraintDescription?: string;
}

/** A parameter, and how the console of AWS calls it. */
export interface LabelledParameter extends Parameter {
  readonly label: string;
}

/** What people are asked together. */
export interface ParameterGroup {
  readonly label: string;
  readonly parameters: Readonly<Record<string, LabelledParameter>>;
}

/** What a release fills in. Empty: the template is of no release, and whoever uses it states them. */
export interface ReleaseFacts {
  readonly url: string;
  readonly sha256: string;
  /** Of ECDSA P-256: PEM without its first and last line, in one line. */
  readonly publicKey: string;
}

/** The template as it lies in the repository is of no release. */
export const NO_RELEASE: ReleaseFacts = { url: '', sha256: '', publicKey: '' };

/** Pattern of the folder of a release, without a slash at its end: the index of all releases is looked for beside it. */
export const RELEASE_URL = `https://[A-Za-z0-9.:-]+/${SHELL_SAFE}+(?<!/)`;
const NETWORK = '(\\d{1,3}\\.){3}\\d{1,3}/([89]|[12]\\d|3[0-2])';

function choice(label: string, Description: string, values: readonly [string, ...string[]]): LabelledParameter {
  return { label, Type: 'String', Description, Default: values[0], AllowedValues: values };
}

interface Shape {
  readonly Default?: string;
  readonly AllowedPattern: string;
  readonly ConstraintDescription: string;
}

function text(label: string, Description: string, shape: Shape): LabelledParameter {
  return { label, Type: 'String', Description, ...shape };
}

function optional(pattern: string): string {
  return `^(${pattern})?$`;
}

/** All parameters in the order in which the console of AWS shows them. */
export function parameterGroups(release: ReleaseFacts): readonly ParameterGroup[] {
  return [releaseGroup(release), PLATFORM, NETWORK_GROUP, MACHINE, PERMISSIONS, BILLING, REMOVAL];
}

function releaseGroup({ url, sha256, publicKey }: ReleaseFacts): ParameterGroup {
  return {
    label: 'Release (at creation only)',
    parameters: {
      ReleaseUrl: text('Folder of the release', 'Where SHA256SUMS, its signature and the bundle are.', {
        Default: url,
        AllowedPattern: optional(RELEASE_URL),
        ConstraintDescription: 'An https URL without a slash at its end',
      }),
      ReleaseSha256: text('SHA-256 of the bundle', 'Digest of the bundle; nothing else is unpacked.', {
        Default: sha256,
        AllowedPattern: optional('[0-9a-f]{64}'),
        ConstraintDescription: '64 hexadecimal digits in lower case',
      }),
      ReleasePublicKey: text('Public key', 'Key that has signed SHA256SUMS: the PEM of ECDSA P-256 in one line.', {
        Default: publicKey,
        AllowedPattern: optional('[A-Za-z0-9+/=]{80,200}'),
        ConstraintDescription: 'What stands between BEGIN PUBLIC KEY and END PUBLIC KEY, without line breaks',
      }),
    },
  };
}

const PLATFORM: ParameterGroup = {
  label: 'Platform (at creation only)',
  parameters: {
    PlatformName: text('Name', 'Name of the platform and of the cluster that it runs in.', {
      Default: 'crate',
      // AWS keeps two words for itself, as the cluster's admission knows, too.
      AllowedPattern: '^(?!(internal|sg)(-|$))[a-z]([a-z0-9-]{0,18}[a-z0-9])?$',
      ConstraintDescription:
        'Up to 20 lower-case letters, digits and dashes; begins with a letter and not with the word internal or sg, ends with no dash',
    }),
    ManagementNetwork: text(
      'Network of administrators',
      'From where the API and the console are reached, besides the temporary machine.',
      {
        AllowedPattern: `^${NETWORK}$`,
        ConstraintDescription: 'A network of at most a /8, such as 203.0.113.0/24; the whole Internet is refused',
      },
    ),
    OnFailure: choice(
      'When the bootstrap fails',
      'undo: what was made is taken away again before the stack is told; keep: it stays, and a restart of the machine goes on.',
      ['undo', 'keep'],
    ),
    SelfUpgrade: choice(
      'Upgrades by itself',
      'on: the platform may change what its services run, and installs versions that administrators set.',
      ['on', 'off'],
    ),
    TimeoutSeconds: {
      label: 'Patience in seconds',
      Type: 'Number',
      Description: 'How long the stack waits. 40 minutes are usual; 25 are kept for taking away what fails.',
      Default: 7200,
      MinValue: 4500,
      MaxValue: 43200,
    },
  },
};

const NETWORK_GROUP: ParameterGroup = {
  label: 'Network of the temporary machine',
  parameters: {
    VpcId: text('VPC', 'A VPC that is there. Empty: a small one is made.', {
      Default: '',
      AllowedPattern: optional('vpc-[0-9a-f]{8,17}'),
      ConstraintDescription: 'An id such as vpc-0123456789abcdef0, together with a subnet of it',
    }),
    SubnetId: text(
      'Subnet',
      'A public subnet of that VPC: its default route leads to an internet gateway. Empty: one is made.',
      {
        Default: '',
        AllowedPattern: optional('subnet-[0-9a-f]{8,17}'),
        ConstraintDescription: 'An id such as subnet-0123456789abcdef0, together with its VPC',
      },
    ),
    VpcCidr: text('Addresses of a new VPC', 'Block of the VPC that is made.', {
      Default: '10.255.255.0/24',
      AllowedPattern: '^(\\d{1,3}\\.){3}\\d{1,3}/(1[6-9]|2[0-8])$',
      ConstraintDescription: 'A block between /16 and /28, such as 10.255.255.0/24',
    }),
    // Every account sees use1-az3, which has no machines of current types. By the id: names of zones differ from account to account.
    // Source: https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
    SubnetZoneId: text('Zone of a new subnet', 'At creation only. us-east-1: use1-az4. Empty: AWS chooses.', {
      Default: '',
      AllowedPattern: optional('[a-z]+\\d-az\\d'),
      ConstraintDescription: 'The id of a zone, such as use1-az4',
    }),
  },
};

const MACHINE: ParameterGroup = {
  label: 'Temporary machine',
  parameters: {
    InstanceType: {
      ...choice('Type', 'Size of the machine. It runs until the platform has its own.', INSTANCE_TYPES),
      Default: 't3.large',
    },
    ImageId: {
      label: 'Image',
      Type: 'String',
      Description: 'Public SSM parameter that names the image: Amazon Linux 2023. Read when the machine is launched.',
      Default: '/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64',
      AllowedPattern: '^/aws/service/ami-amazon-linux-latest/al2023-ami-[a-z0-9.-]+-x86_64$',
      ConstraintDescription: 'A public parameter of Amazon Linux 2023 for x86_64',
    },
    DataVolumeGiB: {
      label: 'Data volume in GiB',
      Type: 'Number',
      Description: 'Encrypted volume of what the bootstrap knows. A snapshot is made when the stack goes.',
      Default: 40,
      MinValue: 20,
      MaxValue: 500,
    },
    KmsKeyArn: text('KMS key', 'Encrypts volumes and secrets. Empty: the keys of AWS for EBS and Secrets Manager.', {
      Default: '',
      AllowedPattern: optional('arn:aws[a-z-]*:kms:[a-z0-9-]+:\\d{12}:key/[0-9a-f-]{36}'),
      ConstraintDescription: 'The ARN of a key in this region',
    }),
    SessionManager: choice('Session Manager', 'on: administrators may open a shell on the machine by AWS SSM.', [
      'off',
      'on',
    ]),
  },
};

const PERMISSIONS: ParameterGroup = {
  label: 'Permissions',
  parameters: {
    BoundaryArn: text(
      'Permissions boundary of your organisation',
      'Put on every role and user of this stack instead of those that the stack makes.',
      {
        Default: '',
        AllowedPattern: optional('arn:aws[a-z-]*:iam::(\\d{12}|aws):policy/[A-Za-z0-9+=,.@_/-]+'),
        ConstraintDescription: 'The ARN of an IAM policy',
      },
    ),
    AccessKeySerial: {
      label: 'Serial of the access key',
      Type: 'Number',
      Description: 'A higher number makes a new access key; delete the old one once the platform has the new one.',
      Default: 1,
      MinValue: 1,
      MaxValue: 9999,
    },
  },
};

const BILLING: ParameterGroup = {
  label: 'AWS Marketplace',
  parameters: {
    ProductCode: text('Product code', 'Code of the offer, also in updates. Empty: no metering.', {
      Default: '',
      AllowedPattern: optional('[A-Za-z0-9]{1,64}'),
      ConstraintDescription: 'Letters and digits, as the offer states it',
    }),
  },
};

const REMOVAL: ParameterGroup = {
  label: 'Removal',
  parameters: {
    DeletionGuard: choice(
      'Guard of the deletion',
      'on: the stack stays while Crate has machines, networks, disks, addresses or roles in this account.',
      ['on', 'off'],
    ),
    OtherInstallations: text(
      'Other installations',
      'Ids of further installations of Crate in this account, which the guard leaves out; with commas.',
      {
        Default: '',
        AllowedPattern: '^[a-z0-9,-]*$',
        ConstraintDescription: 'Ids as the tag crate.dev/installation has them, separated by commas',
      },
    ),
    ClosedRegions: text('Closed regions', 'Regions that your organization closes and Crate never used; with commas.', {
      Default: '',
      AllowedPattern: '^[a-z0-9,-]*$',
      ConstraintDescription: 'Regions such as eu-west-1, separated by commas',
    }),
  },
};
