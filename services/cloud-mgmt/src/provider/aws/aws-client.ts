import { setTimeout as sleep } from 'node:timers/promises';
import { XMLParser } from 'fast-xml-parser';
import { isThrottled, sendAwsRequest } from './aws-request.js';
import type { AccountCredentials } from '../cloud-provider.js';

const FORM = 'application/x-www-form-urlencoded; charset=utf-8';
const JSON_11 = 'application/x-amz-json-1.1';
/** Throttled calls are tried again this often; a listing of a large account is throttled as a matter of course. */
const MOST_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;

/** Gives the URL of a service's API in a region. */
export type AwsEndpoint = (service: string, region: string) => string;

export interface AwsClientOptions {
  readonly endpoint: AwsEndpoint;
  readonly credentials: AccountCredentials;
  readonly signal: AbortSignal;
  readonly random?: () => number;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Where a call goes. */
export interface AwsService {
  /** As in the credential scope. */
  readonly name: string;
  readonly region: string;
  /** Of the API, for services that speak the query protocol. */
  readonly version?: string;
}

/** An element of an XML answer; lists hold every element, however many there are. */
export type XmlElement = Readonly<Record<string, unknown>>;

/**
 * Calls AWS APIs as one account. Calls that are throttled are tried again, later each time, and not before AWS wants them; all calls here
 * only read. Throws CredentialsRejected or Unavailable.
 */
export class AwsClient {
  private readonly xml = new XMLParser({
    // Ids and ports stay texts, and a list of one is a list.
    parseTagValue: false,
    isArray: (name) => name === 'item' || name === 'member',
  });

  constructor(private readonly options: AwsClientOptions) {}

  /** One call of a service that speaks JSON. */
  async json(service: AwsService, target: string, body: unknown): Promise<unknown> {
    const headers = { 'content-type': JSON_11, 'x-amz-target': target };
    return JSON.parse(await this.send(service, headers, JSON.stringify(body))) as unknown;
  }

  /** One call of a service that speaks the query protocol; the document element of the answer. */
  async query(service: AwsService, action: string, parameters: Readonly<Record<string, string>>): Promise<XmlElement> {
    const body = new URLSearchParams({ Action: action, Version: service.version ?? '', ...parameters }).toString();
    const answer = this.xml.parse(await this.send(service, { 'content-type': FORM }, body)) as XmlElement;
    return element(answer, `${action}Response`);
  }

  private async send(service: AwsService, headers: Readonly<Record<string, string>>, body: string): Promise<string> {
    const { credentials, signal, endpoint, pause = wait } = this.options;
    const { name, region } = service;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const url = endpoint(name, region);
        return await sendAwsRequest({ service: name, region, url, headers, body, credentials, signal });
      } catch (error) {
        if (!isThrottled(error) || attempt >= MOST_ATTEMPTS) throw error;
        await pause(Math.max(error.details.retryAfterMs ?? 0, this.pauseMs(attempt)), signal);
      }
    }
  }

  /** Spread over the whole of it: whoever was throttled together must not come back together. */
  private pauseMs(attempt: number): number {
    const { random = Math.random } = this.options;
    return Math.round(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * random());
  }
}

/** The element of that name; an empty one when there is none, as for lists without members. */
export function element(parent: XmlElement, name: string): XmlElement {
  const found = parent[name];
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as XmlElement) : {};
}

/** The members of a list: EC2 calls them `item`, IAM `member`. */
export function members(parent: XmlElement, name: string): readonly XmlElement[] {
  const list = element(parent, name);
  const found = list['item'] ?? list['member'];
  return Array.isArray(found) ? (found as XmlElement[]) : [];
}

/** Text of an element; empty when there is none. */
export function textOf(parent: XmlElement, name: string): string {
  const found = parent[name];
  return typeof found === 'string' ? found : '';
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}
