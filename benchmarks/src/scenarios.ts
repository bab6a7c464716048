import type { Scenario } from './scenario.js';

/** What can be measured. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'create-one',
    description: 'seconds from request to Ready for one cluster, and the share that Terraform takes',
    load: async () => (await import('./create.scenario.js')).createOne,
  },
  {
    name: 'create-20',
    description: 'seconds until twenty clusters asked for at once are all Ready',
    load: async () => (await import('./create.scenario.js')).createTwenty,
  },
  {
    name: 'api',
    description: 'latency, throughput and ratios to bare Fastify and pg of the API with 50,000 stored objects',
    load: async () => (await import('./api/api.scenario.js')).measureApi,
  },
  {
    name: 'policy',
    description: 'reviews by policies: 200 rules over a plan of 300 resources, clusters, and the service over NATS',
    load: async () => (await import('./policy/policy.scenario.js')).measurePolicy,
  },
  {
    name: 'fleet',
    description: '1,000 clusters at once beside Terraform alone, with 1, 2 and 4 replicas; idle, restart and recovery',
    load: async () => (await import('./scale-out/scale-out.scenario.js')).measureFleet,
  },
  {
    name: 'fleet-pages',
    description: 'pages of a fleet of 5,000 and 50,000 clusters, changes of it, and 50 that watch it',
    load: async () => (await import('./fleet/fleet.scenario.js')).measureFleet,
  },
  {
    name: 'console',
    description: 'first load of the console, and scrolling through 5,000 clusters, in Chromium beside bare pages',
    load: async () => (await import('./console/console.scenario.js')).measureConsole,
  },
  {
    name: 'cli-start',
    description: 'processor time until the command line does something, beside node alone',
    load: async () => (await import('./cli/cli-start.scenario.js')).measureStarts,
  },
  {
    name: 'soak',
    description:
      'memory of the API process after garbage collection, over minutes of mixed load with watches opened and closed',
    load: async () => (await import('./soak/soak.scenario.js')).measureSoak,
  },
  {
    name: 'fuzz',
    description:
      'requests of all kinds to everything in the OpenAPI document: no 5xx, no hang, no leak, answers by the schema',
    load: async () => (await import('./fuzz/fuzz.scenario.js')).fuzzApi,
  },
];
