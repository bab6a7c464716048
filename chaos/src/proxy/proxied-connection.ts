import type { Socket } from 'node:net';
import { cString, MessageCutter, type ClientMessage } from './client-messages.js';
import { CommitLabels } from './commit-label.js';
import type { Commit, ProxyHooks } from './postgres-proxy.js';

/** Messages after which the server says that it is ready again. */
const ENDS_REQUEST = new Set(['S', 'Q']);
const READY = 'Z';
const PROTOCOL_VERSION_BYTES = 4;

/** One connection of a service: client on one side, server on the other. Requests come one after the other. */
export class ProxiedConnection {
  private readonly labels = new CommitLabels();
  private readonly fromClient = new MessageCutter(true);
  private readonly fromServer = new MessageCutter(false);
  private request: ClientMessage[] = [];
  private user = '';
  private commit: Commit | undefined;
  private turn: Promise<void> = Promise.resolve();
  private answer: Buffer[] = [];

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly hooks: () => ProxyHooks,
  ) {}

  run(): void {
    this.client.on('data', (chunk: Buffer) => {
      const commits = this.fromClient.push(chunk).map((message) => this.observe(message));
      const commit = commits.find((each) => each !== undefined);
      this.turn = this.turn.then(() => this.forward(chunk, commit));
    });
    this.server.on('data', (chunk: Buffer) => this.reply(chunk));
  }

  private observe(message: ClientMessage): Commit | undefined {
    if (message.type === '') {
      this.user = userOf(message.body);
      return undefined;
    }
    this.request.push(message);
    if (!ENDS_REQUEST.has(message.type)) return undefined;
    const label = this.labels.read(this.request);
    this.request = [];
    return label === undefined ? undefined : { user: this.user, label };
  }

  private async forward(chunk: Buffer, commit: Commit | undefined): Promise<void> {
    if (commit) await this.hooks().before?.(commit);
    if (this.server.destroyed) return;
    this.commit = commit;
    this.server.write(chunk);
  }

  private reply(chunk: Buffer): void {
    const { commit } = this;
    const isReady = this.fromServer.push(chunk).some(({ type }) => type === READY);
    if (!commit) {
      this.client.write(chunk);
      return;
    }
    this.answer.push(chunk);
    if (isReady) void this.finish(commit);
  }

  private async finish(commit: Commit): Promise<void> {
    const verdict = await this.hooks().executed?.(commit);
    this.commit = undefined;
    const answer = Buffer.concat(this.answer.splice(0));
    if (verdict === 'cut') {
      this.client.destroy();
      return;
    }
    if (!this.client.destroyed) this.client.write(answer);
    this.hooks().answered?.(commit);
  }
}

function userOf(startup: Buffer): string {
  const words = startup.subarray(PROTOCOL_VERSION_BYTES);
  for (let at = 0; at < words.length - 1;) {
    const name = cString(words, at);
    const value = cString(words, name.end);
    if (name.text === 'user') return value.text;
    at = value.end;
  }
  return '';
}
