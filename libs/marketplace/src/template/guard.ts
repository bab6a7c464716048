import { attribute, ref } from './intrinsics.js';
import type { Resources } from './resource.js';

/** All that is needed to take away what Crate has made: it goes only once the guard has let it go. */
const KEPT = [
  'DataAttachment',
  'MachineBoundary',
  'MachineProfile',
  'MachineRole',
  'PlatformBoundary',
  'PlatformCredentials',
  'PlatformKey',
  'StackBoundary',
];

/** Refuses the deletion of the stack while Crate has something in the account. `code` is that of `deploy/marketplace/removal-guard.cjs`. */
export function guard(code: string): Resources {
  const guarded = { Condition: 'Guarded' };
  return {
    GuardLog: {
      ...guarded,
      Type: 'AWS::Logs::LogGroup',
      // Why a deletion was refused is wanted longer than the stack.
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { RetentionInDays: 30 },
    },
    GuardFunction: {
      ...guarded,
      Type: 'AWS::Lambda::Function',
      Properties: {
        Description: 'Refuses the deletion of the stack while Crate still has something in the account',
        Runtime: 'nodejs22.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        Role: attribute('GuardRole', 'Arn'),
        Timeout: 120,
        MemorySize: 256,
        Code: { ZipFile: code },
        LoggingConfig: { LogGroup: ref('GuardLog') },
      },
    },
    Guard: {
      ...guarded,
      Type: 'AWS::CloudFormation::CustomResource',
      DependsOn: KEPT,
      Properties: {
        ServiceToken: attribute('GuardFunction', 'Arn'),
        ServiceTimeout: 300,
        OtherInstallations: ref('OtherInstallations'),
        ClosedRegions: ref('ClosedRegions'),
      },
    },
  };
}
