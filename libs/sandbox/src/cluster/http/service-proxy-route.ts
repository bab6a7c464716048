import { notFound, unavailable } from '@crate/errors';
import type { Authorize, Exchange, ExtraRoute } from '@crate/resource-server';
import { CONFIG_MAP } from '../kinds/core.js';
import { POD, type Pod } from '../kinds/pod.js';
import { SERVICE } from '../kinds/service.js';
import type { ObjectCache } from '../runtime/object-cache.js';
import { selects } from '../workloads/endpoints.reconciler.js';
import { isReady } from '../workloads/pods.js';

const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/services\/(?:https?:)?([^/:]+)(?::[^/]*)?\/proxy(\/.*)?$/;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/**
 * The proxy to services. Simulated pods run nothing, so it answers as a web server would whose files are those of the
 * ConfigMaps mounted into a ready pod.
 */
export class ServiceProxyRoute implements ExtraRoute {
  constructor(
    private readonly cache: ObjectCache,
    private readonly authorize: Authorize,
  ) {}

  matches(method: string, path: string): boolean {
    return method === 'GET' && PATH.test(path);
  }

  async handle({ path, respond, context }: Exchange): Promise<void> {
    const [, namespace = '', name = '', rest = '/'] = PATH.exec(decodeURIComponent(path)) ?? [];
    const resource = { group: '', version: 'v1', resource: 'services', subresource: 'proxy' };
    await this.authorize(context.caller, { ...resource, namespace, name, verb: 'get' });
    const service = this.cache.find(SERVICE, name, namespace);
    if (!service) throw notFound('services', name);
    const pod = this.cache.list(POD, namespace).find((candidate) => selects(service, candidate) && isReady(candidate));
    if (!pod) throw unavailable(`no endpoints available for service "${name}"`);

    const file = rest.replace(/^\/+/, '') || 'index.html';
    const content = this.fileOf(pod, file);
    if (content === undefined) return respond.text(404, '404 Not Found\n', 'text/plain; charset=utf-8');
    const extension = file.slice(file.lastIndexOf('.') + 1);
    respond.text(200, content, MEDIA_TYPES[extension] ?? 'text/plain; charset=utf-8');
  }

  /** Nested paths are keys with a dot or dash for the slash, since ConfigMap keys hold none. */
  private fileOf({ spec, metadata }: Pod, file: string): string | undefined {
    const keys = [file, file.replaceAll('/', '.'), file.replaceAll('/', '-'), `${file}.html`];
    for (const { configMap } of spec.volumes ?? []) {
      const data = this.cache.find(CONFIG_MAP, configMap?.name ?? '', metadata.namespace)?.data;
      const found = keys.find((key) => data?.[key] !== undefined);
      if (found !== undefined) return data?.[found];
    }
    return undefined;
  }
}
