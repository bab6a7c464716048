import { attribute, ref, sub, when, type Value } from './intrinsics.js';
import { named } from './network.js';
import type { Resource, Resources } from './resource.js';
import { DATA_DEVICE, userData } from './user-data.js';

/** Of every disk: with the key of the account where there is one. */
const ENCRYPTED = { Encrypted: true, KmsKeyId: when('OwnKey', ref('KmsKeyArn')) };

/** The temporary machine and what the stack waits for. `script` is that of `deploy/marketplace/bootstrap.sh`. */
export function machine(script: string): Resources {
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
    Machine: instance(script),
    MachineAddress: {
      Type: 'AWS::EC2::EIPAssociation',
      Properties: { AllocationId: attribute('Address', 'AllocationId'), InstanceId: ref('Machine') },
    },
    DataVolume: dataVolume(),
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

function instance(script: string): Resource {
  return {
    Type: 'AWS::EC2::Instance',
    // It takes the empty default of SubnetId for an id, though the condition never lets it come here.
    Metadata: { 'cfn-lint': { config: { ignore_checks: ['W1030'] } } },
    Properties: {
      LaunchTemplate: { LaunchTemplateId: ref('MachineImage'), Version: '1' },
      InstanceType: ref('InstanceType'),
      IamInstanceProfile: ref('MachineProfile'),
      NetworkInterfaces: [networkInterface()],
      MetadataOptions: { HttpEndpoint: 'enabled', HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
      BlockDeviceMappings: [
        {
          DeviceName: '/dev/xvda',
          Ebs: { ...ENCRYPTED, VolumeSize: 20, VolumeType: 'gp3', DeleteOnTermination: true },
        },
      ],
      InstanceInitiatedShutdownBehavior: 'stop',
      PropagateTagsToVolumeOnCreation: true,
      UserData: userData(script),
      Tags: [
        ...named(),
        // The script downloads as soon as the machine runs: not before there is a way, which DependsOn cannot say of what may not be there.
        { Key: 'crate.dev/routed-by', Value: when('NewNetwork', ref('SubnetRoutes'), ref('SubnetId')) },
      ],
    },
  };
}

function networkInterface(): Value {
  return {
    DeviceIndex: '0',
    AssociatePublicIpAddress: false,
    DeleteOnTermination: true,
    SubnetId: when('NewNetwork', ref('Subnet'), ref('SubnetId')),
    GroupSet: [attribute('SecurityGroup', 'GroupId')],
  };
}

function dataVolume(): Resource {
  return {
    Type: 'AWS::EC2::Volume',
    // What is on it is all that knows of half a platform.
    DeletionPolicy: 'Snapshot',
    UpdateReplacePolicy: 'Snapshot',
    Properties: {
      ...ENCRYPTED,
      AvailabilityZone: attribute('Machine', 'AvailabilityZone'),
      Size: ref('DataVolumeGiB'),
      VolumeType: 'gp3',
      Tags: named(),
    },
  };
}
