import type { KindDefinition, KubeObject } from '@crate/api';
import { defaultKubeconfig, processEnvironment } from './config.js';
import { staticToken } from './credentials/credentials.js';
import { readKubeconfig, type KubeconfigContext } from './credentials/kubeconfig.js';
import { KindClient } from './kind/kind-client.js';
import { ApiConnection, type ApiRequest } from './transport/api-connection.js';
import type { RetryOptions } from './transport/retry.js';
import { Transport, type ClientOptions } from './transport/transport.js';

/** With neither `credentials` nor `token` calls are made as nobody, or as `clientCertificate` says. */
export interface CrateClientOptions
  extends Omit<ClientOptions, 'credentials'>, Partial<Pick<ClientOptions, 'credentials'>> {
  /** In place of `credentials`. */
  readonly token?: string;
  /** Who owns the fields this client writes; default `crate-client`. */
  readonly fieldManager?: string;
  readonly retries?: RetryOptions;
  /** Project of kinds that have one, unless `in` names another. */
  readonly namespace?: string;
}

/**
 * Crate's API, typed. Every call throws a PlatformError whose `code` says what happened: NotFound, Conflict, Forbidden, InvalidSpec with a cause for
 * each bad field, Unavailable, … Calls that the server was too busy for are made again after the time it asks for.
 */
export class CrateClient {
  private readonly connection: ApiConnection;

  constructor(private readonly options: CrateClientOptions) {
    const { token, credentials = token === undefined ? undefined : staticToken(token), retries = {} } = options;
    this.connection = new ApiConnection(new Transport(options), credentials, retries);
  }

  /** With a kubeconfig, by default kubectl's: tokens, token files, client certificates and exec plugins such as that of `crate login`. */
  static async fromKubeconfig(
    path: string = defaultKubeconfig(),
    options: Omit<CrateClientOptions, keyof KubeconfigContext> & {
      readonly context?: string;
      readonly environment?: Readonly<Record<string, string | undefined>>;
    } = {},
  ): Promise<CrateClient> {
    const { context, environment = processEnvironment(), ...rest } = options;
    const read = await readKubeconfig(path, { environment, ...(context === undefined ? {} : { context }) });
    return new CrateClient({ ...read, ...rest });
  }

  get server(): string {
    return this.connection.server;
  }

  /** Objects of a kind, such as `CLUSTER`. */
  kind<T extends KubeObject>(kind: KindDefinition<T>): KindClient<T> {
    const { fieldManager = 'crate-client', namespace } = this.options;
    return new KindClient(this.connection, kind, fieldManager, kind.namespaced ? namespace : undefined);
  }

  /** Any other request; the answer is parsed from JSON. */
  request<T>(request: ApiRequest): Promise<T> {
    return this.connection.json(request);
  }

  /** True once the API answers readiness. */
  async isReady(): Promise<boolean> {
    try {
      return (await this.connection.text({ method: 'GET', path: '/readyz' })) === 'ok';
    } catch {
      return false;
    }
  }

  /** Ends connections that are kept. */
  close(): void {
    this.connection.close();
  }
}
