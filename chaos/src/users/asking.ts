import type { ApiAnswer, ApiClient, ApiRequest } from '../platform/api-client.js';

/** Project that everything is in. */
export const NAMESPACE = 'chaos';
const SUCCESS = { from: 200, below: 300 };
export const NOT_FOUND = 404;
/** Content type of a change that states what is to be otherwise. */
export const MERGE = 'application/merge-patch+json';

/** Whether an answer promises anything. */
export function isSuccess({ status }: ApiAnswer): boolean {
  return status >= SUCCESS.from && status < SUCCESS.below;
}

/** Path of a collection of a service's kind in the Project. */
export function collectionOf(service: 'lifecycle' | 'cloud' | 'cluster', plural: string): string {
  return `/apis/${service}.crate.dev/v1alpha1/namespaces/${NAMESPACE}/${plural}`;
}

/** Path of the templates for clusters, which belong to no Project. */
export const ADDRESS_OF_CLASSES = '/apis/lifecycle.crate.dev/v1alpha1/clusterclasses';

/** Asks an API that may not answer. */
export class Asking {
  constructor(private readonly api: Pick<ApiClient, 'send'>) {}

  /** Status 0 when there was no answer: then nothing was promised. */
  async ask(request: ApiRequest): Promise<ApiAnswer> {
    return this.api.send(request).catch(() => ({ status: 0, body: undefined, text: '' }));
  }
}
