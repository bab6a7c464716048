import { sub, type Value } from './intrinsics.js';

/** Where the script finds the data volume. */
export const DATA_DEVICE = '/dev/sdf';

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
  CRATE_SELF_UPGRADE: '${SelfUpgrade}',
  CRATE_CREDENTIALS_SECRET: '${PlatformCredentials}',
  CRATE_ADMINISTRATOR_SECRET: '${AdministratorSecret}',
  CRATE_DATA_DEVICE: DATA_DEVICE,
  CRATE_SIGNAL_URL: '${SignalHandle}',
};

/** What the machine runs at its first start: `script`, told where it is and what to make. */
export function userData(script: string): Value {
  return { 'Fn::Base64': sub(settings() + verbatim(script)) };
}

function settings(): string {
  const lines = Object.entries(SETTINGS).map(([name, value]) => `export ${name}='${value}'\n`);
  return `#!/bin/bash\n${lines.join('')}`;
}

/** What `Fn::Sub` gives back as it is. One text for both is less deep than `Fn::Join` of two, and the file has a limit. */
function verbatim(text: string): string {
  return text.replaceAll('${', '${!');
}
