import { isIP } from 'node:net';
import { networkMatcher } from '../../front-door/door-config.js';

/**
 * What no stranger may have us talk to: ourselves, the networks that we are in, and the addresses that clouds tell machines their secrets at.
 * Source: https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The platform of Azure answers machines here.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Within what is global: tunnels, which may lead anywhere, and documentation.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];
/** All that is handed out of IPv6; the rest is local, mapped or translated. */
const GLOBAL = ['2000::/3'];

const isSpecial = networkMatcher(SPECIAL);
const isGlobal = networkMatcher(GLOBAL);

/** Says which addresses webhooks may be at. */
export class AddressGuard {
  private readonly isListed: (address: string) => boolean;

  /** `networks`: what the configuration allows although it is private. */
  constructor(networks: readonly string[]) {
    this.isListed = networkMatcher(networks);
  }

  /** True when it may be connected to. Anything that is no address is not. */
  allows(address: string): boolean {
    const version = isIP(address);
    if (version === 0 || address.includes('%')) return false;
    if (this.trusts(address)) return true;
    return version === 4 ? !isSpecial(address) : isGlobal(address) && !isSpecial(address);
  }

  /** True when the configuration names it: there it goes without TLS, too. */
  trusts(address: string): boolean {
    return !address.includes('%') && this.isListed(address);
  }
}
