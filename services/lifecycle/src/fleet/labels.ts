/** Words that many rows share, kept once and known by small numbers: those are compared and counted far quicker. */
export class Labels {
  private readonly numbers = new Map<string, number>();
  private readonly words: string[] = [];

  /** How many there are; numbers count from 0. */
  get size(): number {
    return this.words.length;
  }

  /** The number of a word, which it gets when it is new. */
  numberOf(word: string): number {
    const known = this.numbers.get(word);
    if (known !== undefined) return known;
    this.numbers.set(word, this.words.length);
    return this.words.push(word) - 1;
  }

  /** The word of a number that was given out. */
  wordOf(number: number): string {
    return this.words[number] ?? '';
  }

  /** By number, whether the word is one of those that are allowed. */
  matching(isAllowed: (word: string) => boolean): Uint8Array {
    return Uint8Array.from(this.words, (word) => Number(isAllowed(word)));
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
    const numbers = Array.from({ length: labels.size }, (_, number) => number);
    numbers.sort((left, right) => compare(labels.wordOf(left), labels.wordOf(right)));
    this.ranks = new Int32Array(labels.size);
    for (const [rank, number] of numbers.entries()) this.ranks[number] = rank;
  }
}
