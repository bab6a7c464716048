import { z } from 'zod';
import { unavailable } from '@crate/errors';
import type { OwnedResource } from '@crate/infra-aws';
import { CloudProvider, type CloudAccess, type ListingOptions, type TerraformRuntime } from '../cloud-provider.js';
import { credentialsRejected } from '../credentials-rejected.js';
import { sent } from '../traced-fetch.js';

/** Calls that a killed Terraform made are finished first. */
const CLOSE_TIMEOUT_MS = 60_000;
const REJECTED = [401, 403];

const GLOBAL = 'global';
const LAG_FAULT = 'eventual-consistency';

const faults = z.array(z.object({ kind: z.string(), account: z.string().optional(), delayMs: z.number().optional() }));
const session = z.object({ id: z.string(), reattach: z.record(z.string(), z.unknown()) });
const inventory = z.array(
  z.object({
    region: z.string(),
    type: z.string(),
    id: z.string(),
    importId: z.string(),
    tags: z.record(z.string(), z.string()).default({}),
  }),
);

/**
 * Terraform's garbage is collected less often: a quarter less of a processor for each command, and 40 MB more while it runs. Here its provider
 * is no process of its own, which would take the setting over and has a larger heap.
 */
const SELDOM_COLLECTED = { GOGC: '400' };

/** The simulated AWS of the sandbox: real Terraform talks to a provider that the sandbox serves. */
export class SandboxAwsProvider extends CloudProvider {
  constructor(private readonly url: string) {
    super();
  }

  async checkCredentials(access: CloudAccess, signal: AbortSignal): Promise<void> {
    await this.send('POST', '/v1/caller-identity', callerOf(access), signal);
  }

  async openRuntime(access: CloudAccess, signal: AbortSignal): Promise<TerraformRuntime> {
    const { id, reattach } = await this.openSession(access, signal);
    return {
      id,
      env: { TF_REATTACH_PROVIDERS: JSON.stringify(reattach), ...SELDOM_COLLECTED },
      secrets: access.credentials ? [access.credentials.secretAccessKey] : [],
    };
  }

  async closeRuntime(id: string): Promise<void> {
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    await this.send('DELETE', `/v1/provider-sessions/${id}`, undefined, signal).catch(() => undefined);
  }

  async listByTag(
    access: CloudAccess,
    [key, value]: readonly [string, string],
    signal: AbortSignal,
    { regionalOnly = false }: ListingOptions = {},
  ): Promise<readonly OwnedResource[]> {
    const query = new URLSearchParams({ account: access.accountId, tag: `${key}=${value}`, view: 'calls' });
    const found = inventory.parse(await this.send('GET', `/v1/inventory?${query.toString()}`, undefined, signal));
    return found.filter(({ region }) => region === access.region || (region === GLOBAL && !regionalOnly));
  }

  async listInNetwork(access: CloudAccess, network: string, signal: AbortSignal): Promise<readonly OwnedResource[]> {
    const query = new URLSearchParams({ account: access.accountId, network });
    return inventory.parse(await this.send('GET', `/v1/inventory?${query.toString()}`, undefined, signal));
  }

  /** As long as the sandbox was told to keep what is new from being seen. */
  async listingLagMs({ accountId }: CloudAccess, signal: AbortSignal): Promise<number> {
    const all = faults.parse(await this.send('GET', '/v1/faults', undefined, signal));
    const lags = all.filter(({ kind, account }) => kind === LAG_FAULT && (account ?? accountId) === accountId);
    return Math.max(0, ...lags.map(({ delayMs }) => delayMs ?? 0));
  }

  private async openSession(access: CloudAccess, signal: AbortSignal): Promise<z.output<typeof session>> {
    return session.parse(await this.send('POST', '/v1/provider-sessions', callerOf(access), signal));
  }

  private async send(method: string, path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    let response: Response;
    let text: string;
    try {
      [response, text] = await sent(new URL(path, this.url), {
        method,
        signal,
        ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw unavailable('The sandbox does not answer', error);
    }
    if (response.ok) return text === '' ? undefined : JSON.parse(text);
    if (REJECTED.includes(response.status)) throw credentialsRejected('The sandbox rejected the credentials');
    throw unavailable(`The sandbox answered HTTP ${response.status}`);
  }
}

function callerOf({ accountId: account, region, credentials }: CloudAccess): Readonly<Record<string, string>> {
  return { account, region, ...(credentials ? { accessKeyId: credentials.accessKeyId } : {}) };
}
