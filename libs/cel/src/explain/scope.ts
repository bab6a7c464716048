import { Optional, type ASTNode } from '@marcbachmann/cel-js';
import { compileExpression, evaluationMistake, type Bindings } from '../expression.js';
import { textOf } from './node-text.js';

/** What a part of an expression comes to. */
export type Outcome =
  | { readonly kind: 'value'; readonly value: unknown }
  /** An optional without a value. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'mistake'; readonly mistake: string };

/** Parts that are worked out for one explanation; far more than a person reads. */
const MOST_EVALUATIONS = 400;

/** Works out parts of an expression, where some names stand for items of a list. */
export class Scope {
  private constructor(
    private readonly bindings: Bindings,
    /** What a name stands for in the whole expression, such as `object.spec.containers[1]`. */
    private readonly places: Readonly<Record<string, string>>,
    private readonly spent: { evaluations: number },
  ) {}

  static of(bindings: Bindings): Scope {
    return new Scope(bindings, {}, { evaluations: 0 });
  }

  /** The same with one more name; without a place the name itself is shown. */
  with(name: string, value: unknown, place: string = name): Scope {
    return new Scope({ ...this.bindings, [name]: value }, { ...this.places, [name]: place }, this.spent);
  }

  evaluate(node: ASTNode): Outcome {
    this.spent.evaluations += 1;
    if (this.spent.evaluations > MOST_EVALUATIONS) return { kind: 'mistake', mistake: 'was not worked out' };
    const compiled = compileExpression(textOf(node), Object.keys(this.bindings), 'any');
    if (!compiled.ok) return { kind: 'mistake', mistake: compiled.mistake };
    try {
      return outcomeOf(compiled.expression.evaluate(this.bindings));
    } catch (error) {
      return { kind: 'mistake', mistake: evaluationMistake(error) };
    }
  }

  /** Undefined when it has no value. */
  valueOf(node: ASTNode): unknown {
    const outcome = this.evaluate(node);
    return outcome.kind === 'value' ? outcome.value : undefined;
  }

  /** True for the name of an item that is shown by its value. */
  isWrittenOut(node: ASTNode): boolean {
    return node.op === 'id' && (this.places[node.args]?.startsWith('"') ?? false);
  }

  /** The part as a person knows it: a path that begins with an item's name, with the item's place instead. */
  describe(node: ASTNode): string {
    const text = textOf(node)
      .replace(/\s+/g, ' ')
      .replace(/\[(\??)(\w+)\]/g, (found, mark: string, name: string) =>
        this.places[name]?.startsWith('"') ? `[${mark}${this.places[name]}]` : found,
      );
    const first = firstOf(node);
    const place = first === undefined ? undefined : this.places[first];
    return first === undefined || place === undefined || !text.startsWith(first)
      ? text
      : place + text.slice(first.length);
  }
}

/** The name that a path begins with; undefined for what is no path. */
export function rootOf(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  const before = memberOf(node);
  return before && rootOf(before);
}

/** The same where calls are on the way, such as `a.b.filter(x, x > 1)[0]`. */
export function firstOf(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  const before = node.op === 'rcall' ? node.args[1] : memberOf(node);
  return before && firstOf(before);
}

/** What a member or an item is taken from. */
function memberOf(node: ASTNode): ASTNode | undefined {
  switch (node.op) {
    case '.':
    case '.?':
    case '[]':
    case '[?]':
      return node.args[0];
    default:
      return undefined;
  }
}

function outcomeOf(value: unknown): Outcome {
  if (!(value instanceof Optional)) return { kind: 'value', value };
  return value.hasValue() ? { kind: 'value', value: value.value() } : { kind: 'absent' };
}
