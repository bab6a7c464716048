import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { duration } from '@crate/config';

const SUBNET = /^([^/]+)(?:\/(\d{1,3}))?$/;

/** What the front door puts up with, and from whom. */
export const doorConfig = {
  http2: z
    .boolean()
    .default(true)
    .describe('Offers HTTP/2 beside HTTP/1.1: browsers open six connections otherwise, and watches keep them'),
  reusePort: z
    .boolean()
    .default(false)
    .describe('Lets another replica on this machine listen on the same port, so that one can take over from the other'),
  drainMs: duration()
    .default(1_000)
    .describe('How long clients may leave by themselves when the service stops, before idle connections are cut'),
  trustedProxies: z
    .array(z.string().refine(isNetwork, 'must be an address or a network such as 10.0.0.0/8'))
    .default([])
    .describe('Proxies whose X-Forwarded-For is believed, as addresses or networks; for the audit log and limits'),
  breakGlassGroups: z
    .array(z.string())
    .default([])
    .describe(
      'Groups whose members may use Terraform on states of Infrastructures; platform administrators always may',
    ),
  deadlineMs: duration()
    .min(1_000)
    .default(60_000)
    .describe('A request without an answer after this long gets a 504; watches have no deadline'),
  limits: z
    .object({
      perSecond: z.number().positive().default(100).describe('Requests a second of one user'),
      burst: z.int().positive().default(400).describe('Requests that one user may send at once after a pause'),
      concurrency: z.int().positive().default(200).describe('Requests under way of all users together'),
      queueLength: z.int().min(0).default(100).describe('Requests of one user that wait for their turn'),
      waitMs: duration().default(5_000).describe('How long a request waits for its turn'),
      watchesPerUser: z.int().positive().default(500).describe('Watches and followed logs of one user'),
      longLists: z.int().positive().default(8).describe('Lists of everything under way, of all users together'),
      exemptGroups: z
        .array(z.string())
        .default(['platform-admin'])
        .describe('Members of these groups are not limited, so that they get through in an emergency'),
    })
    .prefault({}),
  signIn: z
    .object({
      failuresPerSecond: z
        .number()
        .positive()
        .default(1)
        .describe('Failed attempts to sign in of one address that are forgotten each second'),
      failureBurst: z
        .int()
        .positive()
        .default(50)
        .describe('Failed attempts of one address before it has to wait; tokens that were good before still are'),
    })
    .prefault({}),
};

/** Says of an address whether it is one of the networks. */
export function networkMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [, address = '', prefix] = SUBNET.exec(network) ?? [];
    const family = familyOf(address);
    list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** True for an address or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix] = SUBNET.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(prefix ?? 0) <= (version === 6 ? 128 : 32);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
