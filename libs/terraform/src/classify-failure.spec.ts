import { describe, expect, it } from '@jest/globals';
import { classifyFailure } from './classify-failure.js';
import { FAILURE_RULES } from './failure-rules.js';
import { TerraformError } from './terraform-error.js';
import type { TerraformDiagnostic } from './terraform-event.js';

function anError(text: string, address?: string): TerraformDiagnostic {
  const [summary = '', ...detail] = text.split('\n');
  return { severity: 'error', summary, detail: detail.join('\n'), ...(address === undefined ? {} : { address }) };
}

const sdkV2 = (code: string): string =>
  `creating EC2 Instance: operation error EC2: RunInstances, https response error StatusCode: 400, RequestID: 1f, api error ${code}: You have reached it.`;

describe('classifyFailure', () => {
  it.each([
    ['QuotaExceeded', 'InstanceLimitExceeded'],
    ['QuotaExceeded', 'VcpuLimitExceeded'],
    ['QuotaExceeded', 'AddressLimitExceeded'],
    ['QuotaExceeded', 'LimitExceeded'],
    ['QuotaExceeded', 'TooManyLoadBalancers'],
    ['QuotaExceeded', 'ServiceQuotaExceededException'],
    ['CredentialsRejected', 'UnauthorizedOperation'],
    ['CredentialsRejected', 'AuthFailure'],
    ['CredentialsRejected', 'InvalidClientTokenId'],
    ['CredentialsRejected', 'ExpiredToken'],
    ['CredentialsRejected', 'SignatureDoesNotMatch'],
    ['CredentialsRejected', 'IncompleteSignature'],
    ['AccountBlocked', 'Blocked'],
    ['AccountPending', 'PendingVerification'],
    ['NotSubscribed', 'OptInRequired'],
    ['DiskBusy', 'IncorrectModificationState'],
    ['DiskBusy', 'VolumeModificationRateExceeded'],
    ['CapacityUnavailable', 'InsufficientVolumeCapacity'],
    ['ClockWrong', 'RequestExpired'],
    ['ClockWrong', 'RequestTimeTooSkewed'],
    ['CapacityUnavailable', 'InsufficientInstanceCapacity'],
    ['QuotaExceeded', 'InsufficientFreeAddressesInSubnet'],
    ['RateLimited', 'Throttling'],
    ['RateLimited', 'RequestLimitExceeded'],
    ['RateLimited', 'TooManyRequestsException'],
    ['InvalidInput', 'InvalidParameterValue'],
    ['InvalidInput', 'InvalidAMIID.Malformed'],
    ['InvalidInput', 'ValidationError'],
    ['ReferenceNotFound', 'InvalidGroup.NotFound'],
    ['ReferenceNotFound', 'NoSuchEntity'],
    ['AlreadyExists', 'EntityAlreadyExists'],
    ['AlreadyExists', 'InvalidKeyPair.Duplicate'],
    ['AlreadyExists', 'DuplicateLoadBalancerName'],
    ['StillInUse', 'DependencyViolation'],
    ['ProviderUnavailable', 'InternalError'],
    ['ProviderUnavailable', 'ServiceUnavailable'],
    ['Timeout', 'RequestTimeout'],
    ['TerraformFailed', 'SomethingNobodyKnows'],
  ])('tells %s from the provider code %s', (want, code) => {
    const failure = classifyFailure([anError(sdkV2(code), 'aws_instance.demo-workers-1')]);

    expect(failure).toMatchObject({ code: want, providerCode: code, address: 'aws_instance.demo-workers-1' });
    expect(failure.message).toBe(`${code}: You have reached it`);
    expect(failure.remedy).not.toBe('');
  });

  it('is in no hurry with what takes hours', () => {
    const pending = classifyFailure([anError(sdkV2('PendingVerification'))]);
    expect(pending.retryAfterMs).toBe(600_000);
    expect(new TerraformError(pending).details).toMatchObject({ retryAfterMs: 600_000 });
    expect(classifyFailure([anError(sdkV2('VcpuLimitExceeded'))])).not.toHaveProperty('retryAfterMs');
  });

  it('does not blame the keys for a clock that is wrong', () => {
    const text =
      'reading STS: operation error STS: GetCallerIdentity, https response error StatusCode: 403, RequestID: 1f, api error SignatureDoesNotMatch: Signature expired: 20260301T1200Z is now earlier than 20260301T1210Z.';
    const { code, remedy } = classifyFailure([anError(text)]);

    expect(code).toBe('ClockWrong');
    expect(remedy).toContain('clock');
  });

  it('does not send somebody to another machine type for whom the addresses have run out', () => {
    const { remedy } = classifyFailure([anError(sdkV2('InsufficientFreeAddressesInSubnet'))]);

    expect(remedy).toContain('fewer machines');
    expect(remedy).toContain('spec.network.vpcCidr');
  });

  it('advises nobody to change the region or the account of a cluster, which stay as they are', () => {
    const advices = FAILURE_RULES.map(({ remedy }) => remedy).filter((text) =>
      /another .*(region|account)/i.test(text),
    );
    expect(advices).not.toEqual([]);
    for (const advice of advices) expect(advice).toMatch(/another (region|account) takes a new cluster$/);
  });

  it('reads the form of the older SDK', () => {
    const failure = classifyFailure([
      anError(
        'Error launching source instance: VcpuLimitExceeded: You have requested more\n\tstatus code: 400, request id: 1f',
      ),
    ]);

    expect(failure).toMatchObject({ code: 'QuotaExceeded', message: 'VcpuLimitExceeded: You have requested more' });
  });

  it('reads the form of services whose errors the SDK has types for', () => {
    const text =
      'creating IAM Role (demo): operation error IAM: CreateRole, https response error StatusCode: 409, RequestID: 1f-2, EntityAlreadyExists: Role with name demo already exists.';

    expect(classifyFailure([anError(text)])).toMatchObject({
      code: 'AlreadyExists',
      message: 'EntityAlreadyExists: Role with name demo already exists',
    });
  });

  it.each([
    [
      'Protected',
      'terminating EC2 Instance (i-1f): operation error EC2: TerminateInstances, https response error StatusCode: 400, RequestID: 1f-2, api error',
      "The instance 'i-1f' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.",
    ],
    [
      'Protected',
      'updating EC2 Instance (i-1f) type: stopping EC2 Instance (i-1f): operation error EC2: StopInstances, https response error StatusCode: 400, RequestID: 1f-2, api error',
      "The instance 'i-1f' may not be stopped. Modify its 'disableApiStop' instance attribute and try again.",
    ],
    [
      'Protected',
      'deleting ELBv2 Load Balancer (arn): operation error Elastic Load Balancing v2: DeleteLoadBalancer, https response error StatusCode: 400, RequestID: 1f-2,',
      "Load balancer 'arn:aws:elasticloadbalancing:eu-west-1:1:loadbalancer/net/api/1f' cannot be deleted because deletion protection is enabled",
    ],
    [
      'NotSubscribed',
      'creating ELBv2 network Load Balancer (api): operation error Elastic Load Balancing v2: CreateLoadBalancer, https response error StatusCode: 400, RequestID: 1f-2,',
      'This AWS account currently does not support creating load balancers. For more information, please contact AWS Support.',
    ],
    [
      'TerraformFailed',
      'detaching EC2 Network Interface (eni-1f): operation error EC2: DetachNetworkInterface, https response error StatusCode: 400, RequestID: 1f-2, api error',
      'The network interface at device index 0 cannot be detached.',
    ],
  ])('tells %s apart in what AWS does not permit: %s', (want, call, message) => {
    const { code, ...said } = classifyFailure([anError(`${call} OperationNotPermitted: ${message}`)]);

    expect(code).toBe(want);
    expect(said).toMatchObject({ providerCode: 'OperationNotPermitted', retryable: true });
    expect(said.message).toBe(`OperationNotPermitted: ${message.replace(/\.$/, '')}`);
  });

  it('takes no word for a code when no answer came', () => {
    const text =
      'creating EC2 VPC: operation error EC2: CreateVpc, exceeded maximum number of attempts, 25, https response error StatusCode: 0, RequestID: , request send failed, Post "https://ec2": dial tcp: i/o timeout';

    expect(classifyFailure([anError(text)])).toMatchObject({ code: 'Timeout', providerCode: undefined });
  });

  it.each([
    ['DiskKeyUnusable', 'Client.InternalError', 'InternalError', 'Client error on launch'],
    [
      'DiskKeyUnusable',
      'Client.InvalidKMSKey.InvalidState',
      'InvalidKMSKey.InvalidState',
      'The KMS key provided is in an incorrect state',
    ],
    ['ProviderUnavailable', 'Server.InternalError', 'InternalError', 'Internal error on launch'],
    ['QuotaExceeded', 'Client.VolumeLimitExceeded', 'VolumeLimitExceeded', 'Volume limit exceeded'],
    ['CapacityUnavailable', 'Server.InsufficientInstanceCapacity', 'InsufficientInstanceCapacity', 'No capacity'],
  ])('tells %s from %s, for which AWS took a machine back', (want, reason, providerCode, message) => {
    const text = `waiting for EC2 Instance (i-1f) create: unexpected state 'shutting-down', wanted target 'running'. last error: ${reason}: ${message}`;
    for (const said of [text, text.replaceAll(' ', '\n')]) {
      const failure = classifyFailure([anError(said, 'aws_instance.demo-workers-1')]);
      expect(failure).toMatchObject({ code: want, providerCode, message: `${providerCode}: ${message}` });
    }
  });

  it('makes no machine every minute that AWS takes back for its key', () => {
    const text = 'x. last error: Client.InternalError: Client error on launch';
    const { retryAfterMs, remedy } = classifyFailure([anError(text)]);
    expect(retryAfterMs).toBe(600_000);
    expect(remedy).toContain('KMS key');
  });

  it.each([
    ['CredentialsRejected', 'No valid credential sources found'],
    ['CredentialsRejected', 'AWS account ID not allowed: 123456789012'],
    ['Timeout', 'waiting for EC2 NAT Gateway create: timeout while waiting for state to become available'],
    ['Timeout', 'Post "https://ec2": net/http: TLS handshake timeout'],
    [
      'ProviderUnavailable',
      'operation error EC2: DescribeVpcs, https response error StatusCode: 0, request send\nfailed',
    ],
    ['ProviderUnavailable', 'Post "https://ec2": EOF'],
    ['ProviderUnavailable', 'read tcp 10.0.0.1:1: unexpected EOF'],
    ['ProviderUnavailable', 'lookup ec2 on 10.0.0.1:53: server misbehaving'],
    ['ProviderUnavailable', 'dial tcp 10.0.0.1:443: connect: network is unreachable'],
    ['ProviderUnavailable', 'dial tcp 10.0.0.1:443: connect: no route to host'],
    ['ReferenceNotFound', "reading Route Table (rtb-1): couldn't find\nresource"],
    [
      'ReferenceNotFound',
      'operation error EC2: DescribeVpcs, RequestID: 1f-2, api\nerror InvalidVpcID.NotFound: no vpc-1',
    ],
    ['ProviderUnavailable', 'dial tcp 127.0.0.1:80: connect: connection refused'],
    ['ProviderNotInstalled', 'Failed to query available provider packages'],
    [
      'StateInvalid',
      "Missing required provider\nThis state requires provider localhost/no/such, but that\nprovider isn't available. You may be able to install it automatically by running:\n  terraform init",
    ],
    [
      'StateOfNewerRelease',
      'Resource instance managed by newer provider version\nThe current state of aws_instance.a was created by a newer provider\nversion than is currently selected. Upgrade the aws provider to work with this state.',
    ],
    [
      'StateOfNewerRelease',
      'failed to decode identity: unsupported attribute "account_id". This is most likely a bug in the Provider, providers must not change the identity schema without updating the identity schema version',
    ],
    [
      'DiskFull',
      'Failed to install provider\nError while installing hashicorp/aws v6.1.0: write /x/terraform-provider-aws: no space left on device',
    ],
    [
      'DirectoryNotWritable',
      'Failed to install provider\nError while installing hashicorp/aws v6.1.0: mkdir /x/registry.terraform.io: permission denied',
    ],
    ['DirectoryNotWritable', 'Error saving state\nopen terraform.tfstate: read-only file system'],
    ['TerraformFailed', 'the remote host says: permission denied'],
    [
      'TerraformKilled',
      'Plugin did not respond\nThe plugin encountered an error, and failed to respond to the plugin6.(*GRPCProvider).ApplyResourceChange call.',
    ],
    ['TerraformKilled', 'rpc error: code = Unavailable desc = transport is closing'],
    ['TerraformKilled', 'execution halted'],
    ['TerraformFailed', 'local-exec provisioner error\nexit status 1'],
  ])('tells %s from the text %s', (want, text) => {
    expect(classifyFailure([anError(text)]).code).toBe(want);
  });

  it('trusts the code over words of the message', () => {
    const text = 'x, api error InvalidParameterValue: the connection refused to be parsed';

    expect(classifyFailure([anError(text)]).code).toBe('InvalidInput');
  });

  it('tells the most urgent of several, whatever their order, and no warning', () => {
    const quota = anError(sdkV2('VcpuLimitExceeded'), 'aws_instance.a');
    const credentials = anError(sdkV2('AuthFailure'), 'aws_vpc.b');
    const warning: TerraformDiagnostic = { ...anError(sdkV2('ExpiredToken')), severity: 'warning' };

    expect(classifyFailure([warning, quota, credentials]).address).toBe('aws_vpc.b');
    expect(classifyFailure([credentials, quota]).address).toBe('aws_vpc.b');
    expect(classifyFailure([warning, quota]).address).toBe('aws_instance.a');
  });

  it('keeps messages on one bounded line, also when nothing was said', () => {
    expect(classifyFailure([anError(`oh\n${'long\n'.repeat(500)}`)]).message).toMatch(/^long( long)+ ?l?o?n?…$/);
    expect(classifyFailure([])).toMatchObject({ code: 'TerraformFailed', retryable: true });
  });

  it('sends nobody to the network for a provider that only a state asks for, and is in no hurry with it', () => {
    const failure = classifyFailure([anError('This state requires provider localhost/no/such, but it is not there')]);
    expect(failure).toMatchObject({ code: 'StateInvalid', retryable: false });
    expect(failure.remedy).toContain('terraform state rm');
  });

  it('waits for the release that can read a state, and names it', () => {
    const failure = classifyFailure([anError('Resource instance managed by newer provider version')]);
    expect(failure).toMatchObject({ retryable: true, retryAfterMs: 600_000 });
    expect(failure.remedy).toContain('release');
  });

  it('says that changing the input is the only way for invalid input', () => {
    expect(classifyFailure([anError(sdkV2('InvalidParameterValue'))]).retryable).toBe(false);
    expect(classifyFailure([anError(sdkV2('VcpuLimitExceeded'))]).retryable).toBe(true);
  });
});
