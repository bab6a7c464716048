import { readFile } from 'node:fs/promises';
import type { PlatformError } from '@crate/errors';
import { unavailable } from '@crate/errors';
import type { AwsCredentials } from '@crate/aws-signature';
import { z } from 'zod';

const RENEW_BEFORE_MS = 5 * 60_000;
const FORM = 'application/x-www-form-urlencoded';
const TOKEN_SECONDS = '60';

/** Where roles are asked for. */
export interface RoleEndpoints {
  readonly metadata: string;
  readonly sts: string;
}

export interface RoleCredentialsOptions {
  readonly endpoints: RoleEndpoints;
  /** Absent: the role of the machine. */
  readonly webIdentity: { readonly roleArn: string; readonly tokenFile: string } | undefined;
  readonly now?: () => number;
}

const ofMachine = z.object({
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  Token: z.string(),
  Expiration: z.coerce.date(),
});
const assumed = z.object({
  AssumeRoleWithWebIdentityResponse: z.object({
    AssumeRoleWithWebIdentityResult: z.object({
      Credentials: z.object({
        AccessKeyId: z.string(),
        SecretAccessKey: z.string(),
        SessionToken: z.string(),
        // STS writes times as seconds in JSON.
        Expiration: z.union([z.number().transform((seconds) => new Date(seconds * 1_000)), z.coerce.date()]),
      }),
    }),
  }),
});

/**
 * Credentials of a role: AWS Marketplace takes no others. Kept until shortly before they end.
 * Source: https://docs.aws.amazon.com/marketplace/latest/APIReference/API_marketplace-metering_MeterUsage.html
 */
export class RoleCredentials {
  private kept: { readonly credentials: AwsCredentials; readonly expiresAt: number } | undefined;

  constructor(private readonly options: RoleCredentialsOptions) {}

  /** Throws Unavailable when there is no role to be had. */
  async get(signal: AbortSignal): Promise<AwsCredentials> {
    const now = (this.options.now ?? Date.now)();
    if (this.kept && this.kept.expiresAt - RENEW_BEFORE_MS > now) return this.kept.credentials;
    const { webIdentity } = this.options;
    try {
      this.kept = await (webIdentity ? this.assume(webIdentity, signal) : this.ofMachine(signal));
    } catch (error) {
      throw withoutRole(
        webIdentity ? `The role ${webIdentity.roleArn} cannot be taken` : 'The machine has no role',
        error,
      );
    }
    return this.kept.credentials;
  }

  /** By version 2 of the metadata service, which wants a token. */
  private async ofMachine(signal: AbortSignal): Promise<NonNullable<RoleCredentials['kept']>> {
    const base = `${this.options.endpoints.metadata}/latest`;
    const lifetime = { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS };
    const token = await answerOf(`${base}/api/token`, { method: 'PUT', headers: lifetime, signal });
    const asked = { headers: { 'x-aws-ec2-metadata-token': token }, signal };
    const path = `${base}/meta-data/iam/security-credentials/`;
    const [role = ''] = (await answerOf(path, asked)).trim().split('\n');
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = ofMachine.parse(
      JSON.parse(await answerOf(path + encodeURIComponent(role), asked)),
    );
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token };
    return { credentials, expiresAt: Expiration.getTime() };
  }

  private async assume(
    { roleArn, tokenFile }: { readonly roleArn: string; readonly tokenFile: string },
    signal: AbortSignal,
  ): Promise<NonNullable<RoleCredentials['kept']>> {
    const body = new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: roleArn,
      RoleSessionName: 'crate-metering',
      WebIdentityToken: (await readFile(tokenFile, 'utf8')).trim(),
    }).toString();
    const headers = { 'content-type': FORM, accept: 'application/json' };
    const answer = await answerOf(this.options.endpoints.sts, { method: 'POST', headers, body, signal });
    const { AssumeRoleWithWebIdentityResponse: response } = assumed.parse(JSON.parse(answer));
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } =
      response.AssumeRoleWithWebIdentityResult.Credentials;
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
    return { credentials, expiresAt: Expiration.getTime() };
  }
}

async function answerOf(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  const text = await response.text();
  // The text may hold the token that was sent.
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  return text;
}

function withoutRole(what: string, cause: unknown): PlatformError {
  return unavailable(`${what}: ${cause instanceof z.ZodError ? 'the answer is malformed' : (cause as Error).message}`);
}
