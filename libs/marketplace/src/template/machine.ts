import { attribute, ref, sub, when } from './intrinsics.js';
import { named } from './network.js';
import type { Resources } from './resource.js';

/** Where the script finds the data volume. */
const DATA_DEVICE = '/dev/sdf';

/** What the script is told, by the names of its variables. All of it is free of what a shell would read otherwise. */
const SETTINGS: Readonly<Record<string, string>> = {
  CRATE_STACK: '${AWS::StackName}',
  CRATE_REGION: '${AWS::Region}',
  CRATE_ACCOUNT: '${AWS::AccountId}',
  CRATE_NAME: '${PlatformName}',
  CRATE_RELEASE_URL: '${ReleaseUrl}',
  CRATE_RELEASE_SHA256: '${ReleaseSha256}',
  CRATE_RELEASE_KEY: '${ReleasePublicKey}',
  // Its own address is let in as well: it sets the platform up, and takes it away again.
  CRATE_MANAGEMENT_NETWORKS: '${Address}/32,${ManagementNetwork}',
  CRATE_ON_FAILURE: '${OnFailure}',
  CRATE_TIMEOUT_SECONDS: '${TimeoutSeconds}',
  CRATE_MACHINE_BOUNDARY: '${MachineBoundary}',
  CRATE_PRODUCT_CODE: '${ProductCode}',
  CRATE_CREDENTIALS_SECRET: '${PlatformCredentials}',
  CRATE_ADMINISTRATOR_SECRET: '${AdministratorSecret}',
  CRATE_DATA_DEVICE: DATA_DEVICE,
  CRATE_SIGNAL_URL: '${SignalHandle}',
};

/** The temporary machine and what the stack waits for. `script` is that of `deploy/marketplace/bootstrap.sh`. */
export function machine(script: string): Resources {
  const encrypted = { Encrypted: true, KmsKeyId: when('OwnKey', ref('KmsKeyArn')) };
  return {
    SignalHandle: { Type: 'AWS::CloudFormation::WaitConditionHandle' },
    // EC2 reads the parameter when it launches the machine. CloudFormation would read it at every update of the stack, and replace the machine, of
    // which the volume cannot be taken then, as soon as there is a newer image.
    MachineImage: {
      Type: 'AWS::EC2::LaunchTemplate',
      Properties: { LaunchTemplateData: { ImageId: sub('resolve:ssm:${ImageId}') } },
    },
    // The platform lets it in for good. One that EC2 gives a machine for as long as it runs is somebody else's once it has stopped.
    Address: { Type: 'AWS::EC2::EIP', Properties: { Domain: 'vpc', Tags: named() } },
    Machine: {
      Type: 'AWS::EC2::Instance',
      // It takes the empty default of SubnetId for an id, though the condition never lets it come here.
      Metadata: { 'cfn-lint': { config: { ignore_checks: ['W1030'] } } },
      Properties: {
        LaunchTemplate: { LaunchTemplateId: ref('MachineImage'), Version: '1' },
        InstanceType: ref('InstanceType'),
        IamInstanceProfile: ref('MachineProfile'),
        NetworkInterfaces: [
          {
            DeviceIndex: '0',
            AssociatePublicIpAddress: false,
            DeleteOnTermination: true,
            SubnetId: when('NewNetwork', ref('Subnet'), ref('SubnetId')),
            GroupSet: [attribute('SecurityGroup', 'GroupId')],
          },
        ],
        MetadataOptions: { HttpEndpoint: 'enabled', HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
        BlockDeviceMappings: [
          {
            DeviceName: '/dev/xvda',
            Ebs: { ...encrypted, VolumeSize: 20, VolumeType: 'gp3', DeleteOnTermination: true },
          },
        ],
        InstanceInitiatedShutdownBehavior: 'stop',
        PropagateTagsToVolumeOnCreation: true,
        UserData: { 'Fn::Base64': sub(settings() + verbatim(script)) },
        Tags: [
          ...named(),
          // The script downloads as soon as the machine runs: not before there is a way, which DependsOn cannot say of what may not be there.
          { Key: 'crate.dev/routed-by', Value: when('NewNetwork', ref('SubnetRoutes'), ref('SubnetId')) },
        ],
      },
    },
    MachineAddress: {
      Type: 'AWS::EC2::EIPAssociation',
      Properties: { AllocationId: attribute('Address', 'AllocationId'), InstanceId: ref('Machine') },
    },
    DataVolume: {
      Type: 'AWS::EC2::Volume',
      // What is on it is all that knows of half a platform.
      DeletionPolicy: 'Snapshot',
      UpdateReplacePolicy: 'Snapshot',
      Properties: {
        ...encrypted,
        AvailabilityZone: attribute('Machine', 'AvailabilityZone'),
        Size: ref('DataVolumeGiB'),
        VolumeType: 'gp3',
        Tags: named(),
      },
    },
    DataAttachment: {
      Type: 'AWS::EC2::VolumeAttachment',
      // The script waits for it: only with its address does the machine reach anything.
      DependsOn: 'MachineAddress',
      Properties: { Device: DATA_DEVICE, InstanceId: ref('Machine'), VolumeId: ref('DataVolume') },
    },
    Platform: {
      Type: 'AWS::CloudFormation::WaitCondition',
      DependsOn: 'DataAttachment',
      Properties: { Handle: ref('SignalHandle'), Timeout: ref('TimeoutSeconds'), Count: 1 },
    },
  };
}

function settings(): string {
  const lines = Object.entries(SETTINGS).map(([name, value]) => `export ${name}='${value}'\n`);
  return `#!/bin/bash\n${lines.join('')}`;
}

/** What `Fn::Sub` gives back as it is. One text for both is less deep than `Fn::Join` of two, and the file has a limit. */
function verbatim(text: string): string {
  return text.replaceAll('${', '${!');
}
