import type { Environment } from '@marcbachmann/cel-js';
import { Cidr, IpAddress } from './address.js';

/** `ip.isCanonical` is a function of a namespace, which the library knows as a constant. */
class IpNamespace {}

/** Source: https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library */
export function addIpAddresses(environment: Environment): void {
  environment
    .registerType('net.IP', IpAddress)
    .registerType('IpNamespace', IpNamespace)
    .registerConstant('ip', 'IpNamespace', new IpNamespace())
    .registerOperator('net.IP == net.IP', (left: IpAddress, right: IpAddress) => left.equals(right))
    .registerFunction('ip(string): net.IP', (text: string) => IpAddress.parse(text))
    .registerFunction('isIP(string): bool', (text: string) => IpAddress.find(text) !== undefined)
    .registerFunction(
      'IpNamespace.isCanonical(string): bool',
      (_: IpNamespace, text: string) => IpAddress.parse(text).toString() === text,
    )
    .registerFunction('string(net.IP): string', String)
    .registerFunction('net.IP.family(): int', (ip: IpAddress) => BigInt(ip.family))
    .registerFunction('net.IP.isUnspecified(): bool', isUnspecified)
    .registerFunction('net.IP.isLoopback(): bool', isLoopback)
    .registerFunction('net.IP.isLinkLocalMulticast(): bool', (ip: IpAddress) => ip.isIn('224.0.0.0/24', 'ff02::/16'))
    .registerFunction('net.IP.isLinkLocalUnicast(): bool', isLinkLocalUnicast)
    .registerFunction('net.IP.isGlobalUnicast(): bool', isGlobalUnicast);
}

/** Source: https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-cidr-library */
export function addCidrs(environment: Environment): void {
  environment
    .registerType('net.CIDR', Cidr)
    .registerOperator('net.CIDR == net.CIDR', (left: Cidr, right: Cidr) => left.equals(right))
    .registerFunction('cidr(string): net.CIDR', (text: string) => Cidr.parse(text))
    .registerFunction('isCIDR(string): bool', (text: string) => Cidr.find(text) !== undefined)
    .registerFunction('string(net.CIDR): string', String)
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (block: Cidr, ip: IpAddress) => block.containsAddress(ip))
    .registerFunction('net.CIDR.containsIP(string): bool', (block: Cidr, ip: string) =>
      block.containsAddress(IpAddress.parse(ip)),
    )
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', (block: Cidr, other: Cidr) => block.containsBlock(other))
    .registerFunction('net.CIDR.containsCIDR(string): bool', (block: Cidr, other: string) =>
      block.containsBlock(Cidr.parse(other)),
    )
    .registerFunction('net.CIDR.ip(): net.IP', (block: Cidr) => block.ip)
    .registerFunction('net.CIDR.masked(): net.CIDR', (block: Cidr) => block.masked())
    .registerFunction('net.CIDR.prefixLength(): int', (block: Cidr) => BigInt(block.prefixLength));
}

function isUnspecified(ip: IpAddress): boolean {
  return ip.isIn('0.0.0.0/32', '::/128');
}

function isLoopback(ip: IpAddress): boolean {
  return ip.isIn('127.0.0.0/8', '::1/128');
}

function isLinkLocalUnicast(ip: IpAddress): boolean {
  return ip.isIn('169.254.0.0/16', 'fe80::/10');
}

/** Private addresses count, as in Go. Source: https://pkg.go.dev/net/netip#Addr.IsGlobalUnicast */
function isGlobalUnicast(ip: IpAddress): boolean {
  const isSpecial = isUnspecified(ip) || isLoopback(ip) || isLinkLocalUnicast(ip);
  return !isSpecial && !ip.isIn('255.255.255.255/32', '224.0.0.0/4', 'ff00::/8');
}
