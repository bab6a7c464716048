import { badRequest, notFound } from '@crate/errors';
import type { Authorize, Exchange, ExtraRoute } from '@crate/resource-server';
import { WebSocketServer } from 'ws';
import type { LocalPods } from '../containers/local-pods.js';
import { POD } from '../kinds/pod.js';
import { forwardPorts, PORT_FORWARD_PROTOCOL, type Forwarding } from '../network/port-forwarding.js';
import type { ObjectCache } from '../runtime/object-cache.js';

const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/portforward$/;
const LAST_PORT = 65_535;
const VERBS = { GET: 'get', POST: 'create' } as const;
type Method = keyof typeof VERBS;

/** Port forwarding to pods that are processes, over a WebSocket; nothing listens in all others. */
export class PortForwardRoute implements ExtraRoute {
  readonly isLong = true;
  private readonly server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: () => PORT_FORWARD_PROTOCOL,
  });

  constructor(
    private readonly cache: ObjectCache,
    private readonly pods: LocalPods | undefined,
    private readonly authorize: Authorize,
  ) {}

  matches(method: string, path: string): boolean {
    return Object.hasOwn(VERBS, method) && PATH.test(path);
  }

  async handle(exchange: Exchange): Promise<void> {
    const { path, method, query, context, request } = exchange;
    const [, namespace = '', name = ''] = PATH.exec(path) ?? [];
    const resource = { group: '', version: 'v1', resource: 'pods', subresource: 'portforward' };
    await this.authorize(context.caller, { ...resource, namespace, name, verb: VERBS[method as Method] });
    refuseOthers(exchange);
    const forwarding = this.forwardingTo(namespace, name, query.getAll('ports'));
    // The connection is the WebSocket's from here on.
    this.server.handleUpgrade(request, request.socket, Buffer.alloc(0), (client) => forwardPorts(client, forwarding));
  }

  private forwardingTo(namespace: string, name: string, asked: readonly string[]): Forwarding {
    const pod = this.cache.find(POD, name, namespace);
    if (!pod) throw notFound('pods', name);
    const address = this.pods?.observe(pod) && pod.status?.podIP;
    if (!address) throw badRequest(`unable to forward port because pod ${name} is no running process of the sandbox`);
    const ports = asked.flatMap((each) => each.split(',')).map(Number);
    const areSound = ports.length > 0 && ports.every((port) => Number.isInteger(port) && port > 0 && port <= LAST_PORT);
    if (!areSound) throw badRequest('ports must be numbers from 1 to 65535, at least one');
    return { address, ports };
  }
}

function refuseOthers({ request: { headers, method } }: Exchange): void {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  if (isWebSocket && offered.includes(PORT_FORWARD_PROTOCOL)) return;
  throw badRequest(`The sandbox forwards ports over a WebSocket with the protocol ${PORT_FORWARD_PROTOCOL} only`);
}
