import type { Negotiated } from '../negotiate.js';
import { yamlOf, YAML_TYPES } from '../yaml-text.js';

/** A list but for its elements, which come in the field. */
export interface ListHead {
  readonly rest: Readonly<Record<string, unknown>>;
  readonly field: 'items' | 'rows';
}

/** One list as text, from its head through its elements to what is known at the end only. */
export interface ListText {
  readonly mediaType: string;
  /** As many elements as are written before it is looked whether it is the turn of others. */
  readonly atOnce: number;
  begin(): string;
  next(elements: readonly unknown[]): string;
  end(rest: Readonly<Record<string, unknown>>): string;
}

export function listText(format: Negotiated['format'], head: ListHead): ListText {
  return format === 'json' ? new JsonList(head) : new YamlList(head, YAML_TYPES[format]);
}

class JsonList implements ListText {
  readonly mediaType = 'application/json';
  readonly atOnce = Infinity;
  private isEmpty = true;

  constructor(private readonly head: ListHead) {}

  begin(): string {
    const { rest, field } = this.head;
    return `${JSON.stringify(rest).slice(0, -1)},"${field}":[`;
  }

  next(elements: readonly unknown[]): string {
    const comma = this.isEmpty ? '' : ',';
    this.isEmpty = false;
    return comma + elements.map((element) => JSON.stringify(element)).join(',');
  }

  end(rest: Readonly<Record<string, unknown>>): string {
    return `],${JSON.stringify(rest).slice(1)}\n`;
  }
}

/** The same text as that of the whole list. */
class YamlList implements ListText {
  readonly atOnce = 1;
  private isEmpty = true;

  constructor(
    private readonly head: ListHead,
    readonly mediaType: string,
  ) {}

  begin(): string {
    return yamlOf(this.head.rest);
  }

  next(elements: readonly unknown[]): string {
    const { field } = this.head;
    const text = yamlOf({ [field]: elements });
    if (!this.isEmpty) return text.slice(`${field}:\n`.length);
    this.isEmpty = false;
    return text;
  }

  end(rest: Readonly<Record<string, unknown>>): string {
    const { field } = this.head;
    const elements = this.isEmpty ? { [field]: [] } : {};
    const last = { ...elements, ...rest };
    return Object.keys(last).length === 0 ? '' : yamlOf(last);
  }
}
