import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';

const TEXT = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?$/;
const TENS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const TWOS: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
/** Nothing smaller than a nano is kept. */
const NANOS = 9;
const ONE = 10n ** BigInt(NANOS);
const LARGEST_INT = 2n ** 63n - 1n;

/**
 * An amount such as `500m` or `1.5Gi`, exactly, in billionths; what is smaller is rounded up, away from zero.
 * Source: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/resource#Quantity
 */
export class Quantity {
  constructor(readonly nanos: bigint) {}

  static find(text: string): Quantity | undefined {
    const [, sign, whole = '', fraction = '', suffix = '', exponent] = TEXT.exec(text) ?? [];
    if (sign === undefined || whole + fraction === '') return undefined;
    const tens = (TENS[suffix] ?? 0) + Number(exponent ?? 0) + NANOS - fraction.length;
    const digits = BigInt(whole + fraction) << (TWOS[suffix] ?? 0n);
    const nanos = tens >= 0 ? digits * 10n ** BigInt(tens) : dividedUp(digits, 10n ** BigInt(-tens));
    return new Quantity(sign === '-' ? -nanos : nanos);
  }

  /** Throws BadRequest for what is no quantity. */
  static parse(text: string): Quantity {
    const found = Quantity.find(text);
    if (!found) throw badRequest(`${JSON.stringify(text)} is no quantity, such as 500m or 2Gi`);
    return found;
  }

  get isInteger(): boolean {
    const whole = this.nanos / ONE;
    return this.nanos % ONE === 0n && whole <= LARGEST_INT && whole >= -LARGEST_INT - 1n;
  }

  /** Throws BadRequest when it is none. */
  get integer(): bigint {
    if (!this.isInteger) throw badRequest('The quantity is no integer of 64 bits');
    return this.nanos / ONE;
  }

  plus(other: Quantity | bigint, sign: 1n | -1n = 1n): Quantity {
    return new Quantity(this.nanos + sign * (typeof other === 'bigint' ? other * ONE : other.nanos));
  }

  compareTo(other: Quantity): -1n | 0n | 1n {
    if (this.nanos === other.nanos) return 0n;
    return this.nanos < other.nanos ? -1n : 1n;
  }

  /** A decimal number; the same for equal amounts. */
  toString(): string {
    const nanos = this.nanos < 0n ? -this.nanos : this.nanos;
    const fraction = (nanos % ONE).toString().padStart(NANOS, '0').replace(/0+$/, '');
    return `${this.nanos < 0n ? '-' : ''}${nanos / ONE}${fraction === '' ? '' : `.${fraction}`}`;
  }
}

function dividedUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** Source: https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library */
export function addQuantities(environment: Environment): void {
  environment
    .registerType('kubernetes.Quantity', Quantity)
    .registerOperator(
      'kubernetes.Quantity == kubernetes.Quantity',
      (left: Quantity, right: Quantity) => left.nanos === right.nanos,
    )
    .registerFunction('quantity(string): kubernetes.Quantity', (text: string) => Quantity.parse(text))
    .registerFunction('isQuantity(string): bool', (text: string) => Quantity.find(text) !== undefined)
    .registerFunction('kubernetes.Quantity.sign(): int', (quantity: Quantity) => quantity.compareTo(new Quantity(0n)))
    .registerFunction('kubernetes.Quantity.isInteger(): bool', (quantity: Quantity) => quantity.isInteger)
    .registerFunction('kubernetes.Quantity.asInteger(): int', (quantity: Quantity) => quantity.integer)
    .registerFunction(
      'kubernetes.Quantity.asApproximateFloat(): double',
      (quantity: Quantity) => Number(quantity.nanos) / Number(ONE),
    )
    .registerFunction(
      'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
      (left: Quantity, right: Quantity) => left.nanos < right.nanos,
    )
    .registerFunction(
      'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
      (left: Quantity, right: Quantity) => left.nanos > right.nanos,
    )
    .registerFunction('kubernetes.Quantity.compareTo(kubernetes.Quantity): int', (left: Quantity, right: Quantity) =>
      left.compareTo(right),
    );
  for (const type of ['kubernetes.Quantity', 'int']) {
    environment
      .registerFunction(
        `kubernetes.Quantity.add(${type}): kubernetes.Quantity`,
        (left: Quantity, right: Quantity | bigint) => left.plus(right),
      )
      .registerFunction(
        `kubernetes.Quantity.sub(${type}): kubernetes.Quantity`,
        (left: Quantity, right: Quantity | bigint) => left.plus(right, -1n),
      );
  }
}
