/** Words that many rows share, kept once and known by small numbers: those are compared and counted far quicker. */
export class Labels {
  private readonly known = new Map<string, number>();
  private readonly words: string[] = [];
  /** By number, how many hold the word. */
  private readonly holders: number[] = [];

  /** Above every number that was given out; they count from 0. */
  get size(): number {
    return this.words.length;
  }

  /** Of all words that are there. */
  get numbers(): Iterable<number> {
    return this.known.values();
  }

  /** The number of a word, which it gets when it is new. */
  numberOf(word: string): number {
    const known = this.known.get(word);
    if (known !== undefined) return known;
    this.known.set(word, this.words.length);
    return this.words.push(word) - 1;
  }

  /** The word of a number that was given out; empty when it is gone. */
  wordOf(number: number): string {
    return this.words[number] ?? '';
  }

  /** From here on the word goes with the last one that releases it. */
  hold(number: number): void {
    this.holders[number] = (this.holders[number] ?? 0) + 1;
  }

  /** No other word ever gets the number: what somebody may see is kept by numbers. */
  release(number: number): void {
    const left = (this.holders[number] ?? 0) - 1;
    this.holders[number] = left;
    if (left > 0) return;
    this.known.delete(this.wordOf(number));
    this.words[number] = '';
  }

  /** By number, whether the word is one of those that are allowed. */
  matching(isAllowed: (word: string) => boolean): Uint8Array {
    const allowed = new Uint8Array(this.size);
    for (const [word, number] of this.known) allowed[number] = Number(isAllowed(word));
    return allowed;
  }
}

/** Where words stand among each other, by their numbers. */
export class LabelRanks {
  private ranks = new Int32Array();

  constructor(
    private readonly labels: Labels,
    private readonly compare: (left: string, right: string) => number,
  ) {}

  /** Less than 0 when the word of the left number comes first. New words never turn the order of others around. */
  readonly difference = (left: number, right: number): number => {
    if (left === right) return 0;
    if (this.ranks.length !== this.labels.size) this.rank();
    return (this.ranks[left] ?? 0) - (this.ranks[right] ?? 0);
  };

  private rank(): void {
    const { labels, compare } = this;
    const numbers = [...labels.numbers].sort((left, right) => compare(labels.wordOf(left), labels.wordOf(right)));
    this.ranks = new Int32Array(labels.size);
    for (const [rank, number] of numbers.entries()) this.ranks[number] = rank;
  }
}
