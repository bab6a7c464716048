/** Services that the simulated API answers for, as the AWS SDK names them. */
export type AwsService = 'EC2' | 'IAM' | 'Elastic Load Balancing v2' | 'STS';

/** What an AWS API refuses a call with. */
export class AwsError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** HTTP status; 0 when no answer came. */
    readonly status = 400,
    /** True when the SDK gave up after its own retries. */
    readonly isRetried = false,
  ) {
    super(message);
    this.name = 'AwsError';
  }
}

/** A call that failed, in the words of the real provider's diagnostics. */
export class CallError extends Error {
  override readonly name = 'CallError';
}

/** Which call failed: `creating EC2 Subnet`, operation `CreateSubnet`. */
export interface FailedCall {
  readonly doing: string;
  readonly service: AwsService;
  readonly operation: string;
  readonly requestId: string;
}

/** Words `error` as the provider and the SDK beneath it do. */
export function callError(call: FailedCall, error: AwsError): CallError {
  const attempts = error.isRetried ? 'exceeded maximum number of attempts, 25, ' : '';
  const requestId = error.status === 0 ? '' : call.requestId;
  const http = `https response error StatusCode: ${error.status}, RequestID: ${requestId}`;
  const cause = error.status === 0 ? error.message : `${apiError(call.service, error)}: ${error.message}`;
  return new CallError(
    `${call.doing}: operation error ${call.service}: ${call.operation}, ${attempts}${http}, ${cause}`,
    { cause: error },
  );
}

/** EC2 has no error types in its model, so the SDK calls each one a plain "api error". */
function apiError(service: AwsService, error: AwsError): string {
  return service === 'EC2' || service === 'STS' || error.isRetried ? `api error ${error.code}` : error.code;
}
