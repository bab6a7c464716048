import { isIP } from 'node:net';
import { badRequest } from '@crate/errors';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An IP address as Kubernetes takes it: no zone, no IPv4 inside IPv6, no leading zeros. */
export class IpAddress {
  private constructor(readonly address: Address) {}

  static find(text: string): IpAddress | undefined {
    if (isIP(text) === 0 || text.includes('%')) return undefined;
    const address = ipaddr.parse(text);
    return isMapped(address) ? undefined : new IpAddress(address);
  }

  /** Throws BadRequest for what is no such address. */
  static parse(text: string): IpAddress {
    const found = IpAddress.find(text);
    if (!found) throw badRequest(`${JSON.stringify(text)} is no IP address`);
    return found;
  }

  static of(address: Address): IpAddress {
    return new IpAddress(address);
  }

  get family(): 4 | 6 {
    return this.address.kind() === 'ipv4' ? 4 : 6;
  }

  isIn(...blocks: readonly string[]): boolean {
    return blocks.some((block) => Cidr.parse(block).containsAddress(this));
  }

  equals(other: IpAddress): boolean {
    return this.toString() === other.toString();
  }

  toString(): string {
    return this.address.toString();
  }
}

/** An address block; its address may have bits beyond the prefix. */
export class Cidr {
  private constructor(
    readonly ip: IpAddress,
    readonly prefixLength: number,
  ) {}

  static find(text: string): Cidr | undefined {
    const [, address, length] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
    const ip = address === undefined ? undefined : IpAddress.find(address);
    if (!ip || Number(length) > (ip.family === 4 ? 32 : 128)) return undefined;
    return new Cidr(ip, Number(length));
  }

  /** Throws BadRequest for what is no such block. */
  static parse(text: string): Cidr {
    const found = Cidr.find(text);
    if (!found) throw badRequest(`${JSON.stringify(text)} is no CIDR block`);
    return found;
  }

  containsAddress(ip: IpAddress): boolean {
    const { address } = ip;
    return this.ip.family === ip.family && address.match(this.ip.address, this.prefixLength);
  }

  containsBlock(other: Cidr): boolean {
    return this.prefixLength <= other.prefixLength && this.containsAddress(other.ip);
  }

  /** The block with no bits beyond its prefix. */
  masked(): Cidr {
    const first =
      this.ip.family === 4
        ? ipaddr.IPv4.networkAddressFromCIDR(this.toString())
        : ipaddr.IPv6.networkAddressFromCIDR(this.toString());
    return new Cidr(IpAddress.of(first), this.prefixLength);
  }

  equals(other: Cidr): boolean {
    return this.toString() === other.toString();
  }

  toString(): string {
    return `${this.ip.toString()}/${this.prefixLength}`;
  }
}

function isMapped(address: Address): boolean {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
}
