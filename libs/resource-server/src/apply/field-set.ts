import type { PathElement } from './path-element.js';

interface FieldNode {
  /** The path itself is in the set, not just something below it. */
  readonly member: boolean;
  readonly children: FieldSet;
}

/**
 * An immutable set of paths into an object: what a manager owns, or what changed.
 * A path may be a member without the paths below it, and the other way round.
 */
export class FieldSet {
  static readonly EMPTY = new FieldSet(new Map());

  private constructor(private readonly nodes: ReadonlyMap<PathElement, FieldNode>) {}

  static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
    return paths.reduce<FieldSet>((set, path) => set.union(FieldSet.path(path)), FieldSet.EMPTY);
  }

  /** A set from its direct entries; entries that hold nothing are left out. */
  static fromEntries(entries: Iterable<readonly [PathElement, boolean, FieldSet]>): FieldSet {
    const nodes = new Map<PathElement, FieldNode>();
    for (const [element, member, children] of entries) {
      if (member || !children.isEmpty) nodes.set(element, { member, children });
    }
    return nodes.size === 0 ? FieldSet.EMPTY : new FieldSet(nodes);
  }

  private static path(path: readonly PathElement[]): FieldSet {
    return path.reduceRight<FieldSet>(
      (below, element, index) => FieldSet.fromEntries([[element, index === path.length - 1, below]]),
      FieldSet.EMPTY,
    );
  }

  get isEmpty(): boolean {
    return this.nodes.size === 0;
  }

  /** Direct entries: step, whether it is a member, and what is below. */
  *entries(): Iterable<readonly [PathElement, boolean, FieldSet]> {
    for (const [element, node] of this.nodes) yield [element, node.member, node.children];
  }

  /** Every member path, parents before children. */
  *paths(prefix: readonly PathElement[] = []): Iterable<readonly PathElement[]> {
    for (const [element, node] of this.nodes) {
      const path = [...prefix, element];
      if (node.member) yield path;
      yield* node.children.paths(path);
    }
  }

  hasElement(element: PathElement): boolean {
    return this.nodes.get(element)?.member ?? false;
  }

  /** What the set holds below `element`. */
  below(element: PathElement): FieldSet {
    return this.nodes.get(element)?.children ?? FieldSet.EMPTY;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    return this.combine(other, (left, right) => left || right, 'union');
  }

  /** Members of this set that are not members of `other`; what is below a removed member stays. */
  difference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    if (other === this) return FieldSet.EMPTY;
    return this.combine(other, (left, right) => left && !right, 'difference');
  }

  intersection(other: FieldSet): FieldSet {
    return this.combine(other, (left, right) => left && right, 'intersection');
  }

  equals(other: FieldSet): boolean {
    if (other === this) return true;
    if (other.nodes.size !== this.nodes.size) return false;
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** The set with every field step on the way to a member made a member too; steps to list items stay as they are. */
  withParentFields(): FieldSet {
    return FieldSet.fromEntries(
      [...this.entries()].map(([element, member, children]) => {
        const owned = member || (element.startsWith('f:') && !children.isEmpty);
        return [element, owned, children.withParentFields()] as const;
      }),
    );
  }

  private combine(
    other: FieldSet,
    keep: (left: boolean, right: boolean) => boolean,
    operation: 'union' | 'difference' | 'intersection',
  ): FieldSet {
    const elements = operation === 'union' ? new Set([...this.nodes.keys(), ...other.nodes.keys()]) : this.nodes.keys();
    const entries = [...elements].map((element) => {
      const member = keep(this.hasElement(element), other.hasElement(element));
      return [element, member, this.below(element)[operation](other.below(element))] as const;
    });
    return this.isMadeOf(entries) ? this : FieldSet.fromEntries(entries);
  }

  /** True when a set of these entries would be this one: then it stays the same object, which comparisons know at once. */
  private isMadeOf(entries: readonly (readonly [PathElement, boolean, FieldSet])[]): boolean {
    if (entries.length !== this.nodes.size) return false;
    return entries.every(([element, member, children]) => {
      const node = this.nodes.get(element);
      return node?.member === member && node.children === children;
    });
  }
}
