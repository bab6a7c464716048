import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { conflict } from '@crate/errors';
import { withFileLock } from '../lock/file-lock.js';
import { cannotRead } from '../output/in-file.js';
import { cannotWrite } from '../output/out-file.js';
import { findText, writeSecretFile } from '../up/secret-file.js';
import type { LoginOffer } from './login-offer.js';
import type { Tokens } from './oidc-client.js';

/** A person's way in to one platform. */
export interface Credential {
  readonly server: string;
  readonly context: string;
  /** As it was asked for; absent where the platform offered one alone. */
  readonly issuer?: string;
  /** Where the context stands; absent in sign-ins of older releases. */
  readonly kubeconfig?: string;
  readonly offer: LoginOffer;
  readonly tokens: Tokens;
}

/** Names the credential of a context, which is the same at every sign-in. */
export function credentialId(server: string, context: string): string {
  return createHash('sha256').update(`${server}\n${context}`).digest('hex').slice(0, 16);
}

/** Credentials in files that only their owner can read. */
export class CredentialStore {
  constructor(private readonly directory: string) {}

  /** Undefined when nobody is signed in. Throws BadRequest that says why it cannot be read. */
  async find(id: string): Promise<Credential | undefined> {
    const text = await findText(this.path(id)).catch(cannotRead(this.path(id)));
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as Credential;
    } catch {
      throw conflict(`${this.path(id)} is damaged; remove it and sign in again`);
    }
  }

  /** Throws BadRequest that says why it cannot be kept. */
  async save(id: string, credential: Credential): Promise<void> {
    const path = this.path(id);
    await writeSecretFile(path, `${JSON.stringify(credential, undefined, 2)}\n`).catch(cannotWrite(path));
  }

  async remove(id: string): Promise<void> {
    await rm(this.path(id), { force: true }).catch(cannotWrite(this.path(id)));
  }

  /** Runs alone: a refresh token may be used once, and kubectl starts many of us at a time. */
  async alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const path = this.path(id);
    await mkdir(this.directory, { recursive: true, mode: 0o700 }).catch(cannotWrite(path));
    return withFileLock(path, work).catch(cannotWrite(path));
  }

  private path(id: string): string {
    return join(this.directory, `${id}.json`);
  }
}
