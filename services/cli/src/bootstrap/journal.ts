import { isDeepStrictEqual } from 'node:util';
import { conflict } from '@crate/errors';
import { findText } from '../up/secret-file.js';
import { writeDurably } from './durable-file.js';
import type { BootstrapRequest } from './request.js';

interface Content {
  readonly request: BootstrapRequest;
  /** When each step was done, by its name. */
  readonly steps: Readonly<Record<string, string>>;
}

/** Which steps were done, in a file that survives whoever does them. */
export class Journal {
  private constructor(
    private readonly path: string,
    private content: Content,
    private readonly now: () => Date,
    private readonly kept: BootstrapRequest | undefined,
  ) {}

  /** Undefined when nothing was begun. Throws Conflict when the file is damaged. */
  static async find(path: string, now: () => Date = () => new Date()): Promise<Journal | undefined> {
    const text = await findText(path);
    if (text === undefined) return undefined;
    const content = parse(text, path);
    return new Journal(path, content, now, content.request);
  }

  /** The one that is there, with what is asked for now, or a new one. Nothing is written before the first step is done. */
  static async open(path: string, request: BootstrapRequest, now: () => Date = () => new Date()): Promise<Journal> {
    const found = await Journal.find(path, now);
    return new Journal(path, { request, steps: found?.steps ?? {} }, now, found?.request);
  }

  get request(): BootstrapRequest {
    return this.content.request;
  }

  get steps(): Readonly<Record<string, string>> {
    return this.content.steps;
  }

  has(step: string): boolean {
    return this.content.steps[step] !== undefined;
  }

  /** Has who goes on later find what is asked for now. Writes nothing where nothing was begun, or it is the same. */
  async keepRequest(): Promise<void> {
    if (this.kept && !isDeepStrictEqual(this.kept, this.content.request)) await this.save(this.content);
  }

  /** On disk when it resolves. */
  async add(step: string): Promise<void> {
    const { request, steps } = this.content;
    await this.save({ request, steps: { ...steps, [step]: this.now().toISOString() } });
  }

  /** As if it had not been done. Writes nothing where it was not. */
  async drop(step: string): Promise<void> {
    if (!this.has(step)) return;
    const { request, steps } = this.content;
    await this.save({ request, steps: Object.fromEntries(Object.entries(steps).filter(([name]) => name !== step)) });
  }

  private async save(content: Content): Promise<void> {
    await writeDurably(this.path, `${JSON.stringify(content, undefined, 2)}\n`);
    this.content = content;
  }
}

function parse(text: string, path: string): Content {
  try {
    return JSON.parse(text) as Content;
  } catch (error) {
    throw conflict(
      `${path} is damaged (${String(error)}); restore it from a backup, or look at what was made yourself`,
    );
  }
}
