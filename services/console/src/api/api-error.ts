import i18next from 'i18next';

/** One bad field, or one thing to do. */
export interface Cause {
  readonly field?: string;
  readonly reason?: string;
  readonly message: string;
}

/** What the server sends in place of an answer. */
interface Status {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly Cause[]; readonly retryAfterSeconds?: number };
}

interface ApiErrorDetails {
  readonly causes?: readonly Cause[];
  readonly retryAfterMs?: number | undefined;
  readonly traceId?: string | undefined;
  readonly cause?: unknown;
}

/** A refusal of the API, or that it could not be reached (`status` 0, reason `Unreachable`). */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  readonly causes: readonly Cause[];
  readonly retryAfterMs: number | undefined;
  /** By which the platform's people find what happened. */
  readonly traceId: string | undefined;

  constructor(
    /** HTTP status; 0 when there was no answer. */
    readonly status: number,
    /** Stable code, such as `Forbidden`. */
    readonly reason: string,
    message: string,
    { causes = [], retryAfterMs, traceId, cause }: ApiErrorDetails = {},
  ) {
    super(message, { cause });
    this.causes = causes;
    this.retryAfterMs = retryAfterMs;
    this.traceId = traceId;
  }

  /** True when there was no answer: whether a write was done is not known. */
  get isUnanswered(): boolean {
    return this.status === 0;
  }

  /** True when asking again may help without anybody doing anything. */
  get isPassing(): boolean {
    return this.isUnanswered || this.status === 429 || this.status >= 500;
  }
}

/** Reads a refusal; never throws, whatever the body is. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Status;
  const retryAfter = Number(response.headers.get('retry-after') ?? body.details?.retryAfterSeconds ?? Number.NaN);
  return new ApiError(response.status, body.reason ?? 'Unknown', body.message ?? response.statusText, {
    causes: body.details?.causes ?? [],
    retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1000 : undefined,
    traceId: traceOf(response),
  });
}

/** No answer at all: no network, or the platform is down. Why, browsers say in words of their own, which help nobody. */
export function unreachable(cause: unknown): ApiError {
  return new ApiError(0, 'Unreachable', i18next.t('state.unreachableTitle'), { cause });
}

function traceOf(response: Response): string | undefined {
  return response.headers.get('traceparent')?.split('-')[1] ?? response.headers.get('x-trace-id') ?? undefined;
}
