import { badRequest } from '@crate/errors';
import type { Environment } from '@marcbachmann/cel-js';

const NUMBER = '0|[1-9]\\d*';
const NAME = '[0-9A-Za-z-]+';
/** Source: https://semver.org/#backusnaur-form-grammar-for-valid-semver-versions */
const TEXT = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})` +
    `(?:-((?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)(?:\\.(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*))*))?` +
    `(?:\\+${NAME}(?:\\.${NAME})*)?$`,
);
const LARGEST = 2n ** 63n - 1n;

/** A semantic version; what it was built of is not kept, for it orders nothing. */
export class Semver {
  private constructor(
    /** Major, minor and patch. */
    readonly numbers: readonly [bigint, bigint, bigint],
    readonly prerelease: readonly string[],
  ) {}

  /** `isTolerant` takes `v1` and `01.2`, too. */
  static find(text: string, isTolerant = false): Semver | undefined {
    const [, major, minor, patch, prerelease] = TEXT.exec(isTolerant ? normalised(text) : text) ?? [];
    if (major === undefined || minor === undefined || patch === undefined) return undefined;
    const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
    return numbers.some((number) => number > LARGEST)
      ? undefined
      : new Semver([...numbers], prerelease?.split('.') ?? []);
  }

  /** Throws BadRequest for what is no version. */
  static parse(text: string, isTolerant = false): Semver {
    const found = Semver.find(text, isTolerant);
    if (!found) throw badRequest(`${JSON.stringify(text)} is no semantic version, such as 1.2.3 or 1.2.3-rc.1`);
    return found;
  }

  /** Source: https://semver.org/#spec-item-11 */
  compareTo(other: Semver): -1n | 0n | 1n {
    for (const [index, number] of this.numbers.entries()) {
      const theirs = other.numbers[index] ?? 0n;
      if (number !== theirs) return number < theirs ? -1n : 1n;
    }
    if (this.prerelease.length === 0 || other.prerelease.length === 0) {
      return ordered(other.prerelease.length, this.prerelease.length);
    }
    return comparePrereleases(this.prerelease, other.prerelease);
  }

  toString(): string {
    return [this.numbers.join('.'), ...(this.prerelease.length > 0 ? [this.prerelease.join('.')] : [])].join('-');
  }
}

/** Source: https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-semver-library */
export function addSemvers(environment: Environment): void {
  const type = 'kubernetes.Semver';
  environment
    .registerType(type, Semver)
    .registerOperator(`${type} == ${type}`, (left: Semver, right: Semver) => left.compareTo(right) === 0n)
    .registerFunction(`semver(string): ${type}`, (text: string) => Semver.parse(text))
    .registerFunction(`semver(string, bool): ${type}`, (text: string, isTolerant: boolean) =>
      Semver.parse(text, isTolerant),
    )
    .registerFunction('isSemver(string): bool', (text: string) => Semver.find(text) !== undefined)
    .registerFunction('isSemver(string, bool): bool', (text: string, isTolerant: boolean) => {
      return Semver.find(text, isTolerant) !== undefined;
    })
    .registerFunction(`${type}.major(): int`, ({ numbers: [major] }: Semver) => major)
    .registerFunction(`${type}.minor(): int`, ({ numbers: [, minor] }: Semver) => minor)
    .registerFunction(`${type}.patch(): int`, ({ numbers: [, , patch] }: Semver) => patch)
    .registerFunction(`${type}.compareTo(${type}): int`, (left: Semver, right: Semver) => left.compareTo(right))
    .registerFunction(`${type}.isLessThan(${type}): bool`, (left: Semver, right: Semver) => left.compareTo(right) < 0n)
    .registerFunction(
      `${type}.isGreaterThan(${type}): bool`,
      (left: Semver, right: Semver) => left.compareTo(right) > 0n,
    );
}

/** Without a `v` and leading zeros, with three numbers; a version that is cut short has nothing behind them. */
function normalised(text: string): string {
  const parts = text.replace(/^v/, '').split('.');
  const [major = '', minor = '0', ...patch] = parts;
  const numbers = [major, minor, patch.length > 0 ? patch.join('.') : '0'];
  if (parts.length < 3 && numbers.some((number) => /[+-]/.test(number))) return '';
  return numbers.map((number) => number.replace(/^0+(?=\d)/, '')).join('.');
}

/** Numbers are below names; where one goes on after the other ended, it is above. */
function comparePrereleases(left: readonly string[], right: readonly string[]): -1n | 0n | 1n {
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1n;
    const order = compareIdentifiers(one, other);
    if (order !== 0n) return order;
  }
  return ordered(left.length, right.length);
}

function compareIdentifiers(one: string, other: string): -1n | 0n | 1n {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) return ordered(BigInt(one), BigInt(other));
  if (isNumber !== isOtherNumber) return isNumber ? -1n : 1n;
  return ordered(one, other);
}

function ordered<T extends bigint | number | string>(one: T, other: T): -1n | 0n | 1n {
  if (one === other) return 0n;
  return one < other ? -1n : 1n;
}
