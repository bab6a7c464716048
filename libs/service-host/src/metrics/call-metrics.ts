import { errorCode } from '@crate/errors';
import { ServiceCaller, type ServiceMethod } from '@crate/messaging';
import type { CallContext } from '@crate/resource-client';
import type { Counter, Histogram, Labels, Metrics } from '@crate/telemetry';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** They wait for something to happen: how long says nothing about how they are. */
const LONG_POLLS: readonly string[] = ['resources.watch', 'resources.readLog'];

interface Side {
  readonly total: Counter;
  readonly duration: Histogram;
  readonly open: { call: number; poll: number };
}

/** The caller waited no longer, for reasons of its own: its client went, or a watch came to its end. That says nothing about the peer. */
const ABANDONED = 'Abandoned';

/** Rate, errors and duration of calls, as the caller has them. */
export class MeasuredServiceCaller extends ServiceCaller {
  private readonly side: Side;

  constructor(
    private readonly calls: ServiceCaller,
    metrics: Metrics,
  ) {
    super();
    this.side = sideOf(metrics, 'client', { labels: ['peer', 'method'], who: 'Calls of other services' });
  }

  // eslint-disable-next-line max-params -- the contract's five parameters
  override async call<T>(
    service: string,
    method: string,
    body: unknown,
    context: CallContext,
    timeoutMs?: number,
  ): Promise<T> {
    const send = (): Promise<T> => this.calls.call<T>(service, method, body, context, timeoutMs);
    return measured(this.side, { peer: service, method }, send, context.signal);
  }
}

/** The same methods, with rate, errors and duration of the calls they answer. What is refused before it reaches a method is counted by its caller. */
export function measuredMethods(
  methods: Readonly<Record<string, ServiceMethod>>,
  metrics: Metrics,
): Readonly<Record<string, ServiceMethod>> {
  const side = sideOf(metrics, 'server', { labels: ['method'], who: 'Calls answered to other services' });
  const wrapped = Object.entries(methods).map(([method, { scope, handle }]) => {
    const answer: ServiceMethod['handle'] = (body, context) => measured(side, { method }, () => handle(body, context));
    return [method, { scope, handle: answer }] as const;
  });
  return Object.fromEntries(wrapped);
}

async function measured<T>(
  side: Side,
  labels: Labels & { readonly method: string },
  work: () => Promise<T>,
  givenUp?: AbortSignal,
): Promise<T> {
  const isPoll = LONG_POLLS.includes(labels.method);
  const kind = isPoll ? 'poll' : 'call';
  const begun = performance.now();
  let code = 'OK';
  side.open[kind] += 1;
  try {
    return await work();
  } catch (error) {
    code = errorCode(error);
    if (code === 'Timeout' && givenUp?.aborted) code = ABANDONED;
    throw error;
  } finally {
    side.open[kind] -= 1;
    side.total.add(1, { ...labels, code });
    if (!isPoll) side.duration.observe((performance.now() - begun) / 1000, labels);
  }
}

function sideOf(
  metrics: Metrics,
  side: 'client' | 'server',
  { labels, who }: { readonly labels: readonly string[]; readonly who: string },
): Side {
  const open = { call: 0, poll: 0 };
  metrics.gauge({
    name: `crate_nats_${side}_calls_in_flight`,
    help: `${who} under way over NATS; those that wait for something to happen have kind poll.`,
    labels: ['kind'],
    collect: (gauge) => {
      for (const kind of ['call', 'poll'] as const) gauge.set(open[kind], { kind });
    },
  });
  return {
    open,
    total: metrics.counter({
      name: `crate_nats_${side}_calls_total`,
      help: `${who} over NATS, by method and by the code they ended with (OK, that of the error, or Abandoned by a caller that waited no longer).`,
      labels: [...labels, 'code'],
    }),
    duration: metrics.histogram({
      name: `crate_nats_${side}_call_duration_seconds`,
      help: `Time of calls over NATS, without those that wait for something to happen. ${who}.`,
      labels,
      buckets: BUCKETS,
    }),
  };
}
