/** Why Terraform failed, as everything above branches on it. Stable: part of the API. */
export type TerraformFailureCode =
  | 'QuotaExceeded'
  | 'CredentialsRejected'
  | 'AccountBlocked'
  | 'AccountPending'
  | 'NotSubscribed'
  | 'ClockWrong'
  | 'CapacityUnavailable'
  | 'DiskBusy'
  | 'DiskKeyUnusable'
  | 'RateLimited'
  | 'Timeout'
  | 'InvalidInput'
  | 'AlreadyExists'
  | 'ReferenceNotFound'
  | 'StillInUse'
  /** Somebody switched on in the account that it may not be removed, or not be stopped. */
  | 'Protected'
  | 'ProviderUnavailable'
  | 'ProviderNotInstalled'
  /** It has objects of a provider that the stack does not have. */
  | 'StateInvalid'
  /** A newer provider wrote it, in a form that ours cannot read. */
  | 'StateOfNewerRelease'
  | 'DiskFull'
  | 'DirectoryNotWritable'
  /** We asked it to stop. */
  | 'Interrupted'
  /** It, or a provider's process, was ended by somebody else or crashed. */
  | 'TerraformKilled'
  | 'TerraformFailed';

export interface FailureRule {
  readonly code: TerraformFailureCode;
  /** Error codes of the provider's API; the first rule that matches wins. */
  readonly providerCode?: RegExp;
  /** What has to stand beside the code, where that alone does not tell. */
  readonly providerMessage?: RegExp;
  /** Text of the diagnostic, where there is no such code. */
  readonly text?: RegExp;
  readonly retryable: boolean;
  /** No sooner than that; absent: as often as it is. */
  readonly retryAfterMs?: number;
  readonly remedy: string;
}

/** For what heals by itself in hours. */
const TEN_MINUTES_MS = 10 * 60_000;

/** A request is good for minutes around the time it was signed at: the keys may be as they should. */
const WRONG_CLOCK = { retryable: true, remedy: 'Set the clock of the host that cloud-mgmt runs on' } as const;

/** Somebody has to mend it, and each try makes machines that AWS takes back. */
const UNUSABLE_KEY = {
  retryable: true,
  retryAfterMs: TEN_MINUTES_MS,
  remedy: 'Let the user of the CloudAccount use the KMS key that EBS encrypts with by default in this region',
} as const;

/** Most often it is the memory of the host. */
export const KILLED_REMEDY =
  'See what ended it on the host of cloud-mgmt; for want of memory, give it more or lower CRATE_TERRAFORM_CONCURRENCY';

/**
 * Most urgent first: of several diagnostics the one whose rule stands first is told.
 * Sources: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html and
 * https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html
 */
export const FAILURE_RULES: readonly FailureRule[] = [
  {
    code: 'ClockWrong',
    providerCode: /^(RequestExpired|RequestInTheFuture|RequestTimeTooSkewed)$/,
    ...WRONG_CLOCK,
  },
  {
    code: 'ClockWrong',
    providerCode: /^(SignatureDoesNotMatch|InvalidSignatureException)$/,
    providerMessage: /Signature (expired|not yet current)/,
    ...WRONG_CLOCK,
  },
  {
    code: 'CredentialsRejected',
    providerCode:
      /^(AuthFailure|InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidSignatureException|IncompleteSignature(Exception)?|UnrecognizedClientException|ExpiredToken(Exception)?)$/,
    text: /no valid credential sources|failed to refresh cached credentials|AWS account ID not allowed/i,
    retryable: true,
    remedy: 'Check the credentials of the CloudAccount and set new ones',
  },
  {
    code: 'AccountBlocked',
    providerCode: /^Blocked$/,
    retryable: true,
    remedy: 'Clear it with the support of AWS, which has blocked the account: the keys are good',
  },
  {
    code: 'AccountPending',
    providerCode: /^PendingVerification$/,
    retryable: true,
    retryAfterMs: TEN_MINUTES_MS,
    remedy: 'Nothing to do: AWS validates the account for this region within hours, and it is tried again until then',
  },
  {
    code: 'NotSubscribed',
    providerCode: /^OptInRequired$/,
    retryable: true,
    remedy:
      'Enable in the account what the message names, such as the region, or wait until AWS has activated a new account',
  },
  {
    // Of an account that is new, whatever its quotas say.
    code: 'NotSubscribed',
    providerCode: /^OperationNotPermitted$/,
    providerMessage: /does not support creating load balancers/,
    retryable: true,
    remedy: 'Ask the support of AWS to let the account have load balancers: the keys and the quotas are good',
  },
  {
    code: 'CredentialsRejected',
    providerCode: /^(UnauthorizedOperation|AccessDenied(Exception)?|NotAuthorized|UnauthorizedAccess)$/,
    retryable: true,
    remedy: 'Give the credentials of the CloudAccount the permission that the message names',
  },
  {
    code: 'RateLimited',
    providerCode:
      /^(Throttling(Exception)?|ThrottledException|RequestLimitExceeded|RequestThrottled(Exception)?|TooManyRequestsException|SlowDown|PriorRequestNotComplete|EC2ThrottledException)$/,
    text: /status ?code: 429/i,
    retryable: true,
    remedy: 'Nothing to do: it is tried again more slowly',
  },
  {
    // No capacity of the provider's: machines of any type need an address each.
    code: 'QuotaExceeded',
    providerCode: /^InsufficientFreeAddresses\w*$/,
    retryable: true,
    remedy: 'Ask for fewer machines, or move to a cluster with a larger spec.network.vpcCidr',
  },
  {
    code: 'QuotaExceeded',
    providerCode: /(LimitExceeded(Exception|Fault)?|QuotaExceeded(Exception)?|^TooMany[A-Z]\w*)$/,
    retryable: true,
    remedy: 'Ask the provider for a higher quota, or ask for less',
  },
  {
    code: 'CapacityUnavailable',
    providerCode: /^Insufficient(Instance|Host|Reserved\w*|Address|Volume|Capacity)?Capacity\w*$/,
    retryable: true,
    remedy:
      'Choose another machine type, or wait until the provider has capacity again; another region takes a new cluster',
  },
  {
    code: 'DiskBusy',
    providerCode: /^(IncorrectModificationState|VolumeModificationRateExceeded)$/,
    retryable: true,
    retryAfterMs: TEN_MINUTES_MS,
    remedy:
      'Nothing to do: AWS takes the next change of a disk some hours after the last, and it is tried again until then',
  },
  {
    code: 'DiskKeyUnusable',
    providerCode: /^InvalidKMSKey\.\w+$/,
    ...UNUSABLE_KEY,
  },
  {
    // All that AWS says of a machine whose disk it may not encrypt. Source: https://repost.aws/knowledge-center/kms-iam-ec2-permission
    code: 'DiskKeyUnusable',
    providerCode: /^InternalError$/,
    providerMessage: /Client\.InternalError: Client error on launch/,
    ...UNUSABLE_KEY,
  },
  {
    code: 'StillInUse',
    providerCode:
      /^(DependencyViolation|DeleteConflict|ResourceInUse(Exception)?|VolumeInUse|InvalidIPAddress\.InUse)$/,
    retryable: true,
    remedy: 'Remove what still uses the resource',
  },
  {
    // The code has other causes, too.
    code: 'Protected',
    providerCode: /^OperationNotPermitted$/,
    providerMessage: /disableApi(Termination|Stop)|deletion protection is enabled/,
    retryable: true,
    remedy: 'Switch off in the account the protection of what the message names; it then goes on by itself',
  },
  {
    code: 'AlreadyExists',
    providerCode: /(AlreadyExists(Exception)?|\.Duplicate|^Duplicate\w+|\.Conflict)$/,
    retryable: true,
    remedy: 'Remove or rename the resource of the same name in the account',
  },
  {
    // Also seen for some seconds after a create, until every part of the provider knows of the resource.
    code: 'ReferenceNotFound',
    providerCode: /(\.NotFound|NotFoundException|NoSuchEntity(Exception)?|NotFound)$/,
    // The last three are the provider's words where it looks for itself, and no answer of the API is left to read.
    text: /cannot import non-existent remote object|couldn't find resource|empty result|no association found between/i,
    retryable: true,
    remedy: 'Nothing to do at first: it is tried again; if it stays, check that what the message names exists',
  },
  {
    code: 'InvalidInput',
    providerCode:
      /^(Invalid\w*(\.\w+)?|Malformed\w*|Validation(Error|Exception)|Unsupported(Operation|Exception)?|MissingParameter|UnknownParameter)$/,
    retryable: false,
    remedy: 'Change the value that the message names',
  },
  {
    // Before the rules of what was to be written.
    code: 'DiskFull',
    text: /no space left on device|disk quota exceeded/i,
    retryable: true,
    remedy: 'Make room on the volume of cloud-mgmt',
  },
  {
    code: 'DirectoryNotWritable',
    text: /read-only file system|\b(open|mkdir|rename|unlinkat|chmod|link|symlink|fork\/exec) \S+: permission denied/i,
    retryable: true,
    remedy: 'Mount the volume of cloud-mgmt writable, executable, and owned by the user that it runs as',
  },
  {
    // A provider is a program: none is installed because a state names it.
    code: 'StateInvalid',
    text: /this state requires provider/i,
    retryable: false,
    remedy:
      'Take the objects of that provider out of the state with "terraform state rm"; it is not installed for them, and the objects stay where they are',
  },
  {
    // Nothing was done. The second are the provider's words, where it took the form of what identifies an object for the same as ours.
    code: 'StateOfNewerRelease',
    text: /managed by newer provider version|failed to decode identity/i,
    retryable: true,
    retryAfterMs: TEN_MINUTES_MS,
    remedy:
      'Bring cloud-mgmt to the release that changed the cluster last, or to a newer one: the cluster stays as it is, and is tried again until then',
  },
  {
    // Before the rules whose words the reason of a failed download repeats.
    code: 'ProviderNotInstalled',
    text: /failed to (query available provider packages|install provider)|registry service is unreachable|required plugins are not installed|inconsistent dependency lock file/i,
    retryable: true,
    remedy:
      'Let cloud-mgmt reach registry.terraform.io and releases.hashicorp.com, or put the providers into its /usr/local/share/terraform/plugins',
  },
  {
    // Words of one that we asked to stop are not read.
    code: 'TerraformKilled',
    text: /plugin did not respond|transport is closing|operation cancell?ed|execution halted|interrupt received/i,
    retryable: true,
    remedy: KILLED_REMEDY,
  },
  {
    code: 'Timeout',
    providerCode: /^(RequestTimeout(Exception)?|Timeout)$/,
    text: /context deadline exceeded|timeout while waiting|timed out|i\/o timeout|tls handshake timeout/i,
    retryable: true,
    remedy: 'Nothing to do: it is tried again',
  },
  {
    code: 'ProviderUnavailable',
    providerCode:
      /^(InternalError|InternalFailure|InternalServerError|ServiceUnavailable(Exception)?|Unavailable|ServerInternal)$/,
    text: /connection refused|connection reset|no such host|status ?code: 5\d\d|request send failed|:\s(unexpected )?EOF\b|server misbehaving|network is unreachable|no route to host|code = Unavailable/i,
    retryable: true,
    remedy: 'Nothing to do: it is tried again when the provider answers',
  },
];
