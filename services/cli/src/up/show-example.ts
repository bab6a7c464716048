import { toPlatformError } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import type { DataDir } from './data-dir.js';
import { builtConsoleDir } from './services.js';

const EXAMPLE = 'examples/quickstart.yaml';

export interface ShowExampleOptions {
  readonly client: ApiClient;
  readonly dir: DataDir;
  readonly withExample: boolean;
  /** Absent: there is no sandbox. */
  readonly sandboxUrl?: string;
  readonly signal: AbortSignal;
}

/** Brings the example cluster up before the person's eyes, then tells where everything is and what to do next. */
export async function showExample(options: ShowExampleOptions): Promise<void> {
  let kubeconfig: string | undefined;
  try {
    // What draws progress and talks to clusters takes longer to load than all else here, and most starts do without it.
    if (options.withExample)
      kubeconfig = await (await import('./bring-up-example.js')).bringUpExample(options, EXAMPLE);
  } catch (error) {
    // The platform itself is fine, and so is everything else on it.
    const { message, details } = toPlatformError(error);
    console.error(`\nThe example did not work: ${[message, details.remedy].filter(Boolean).join('. ')}`);
  }
  if (!options.signal.aborted) showNextSteps(options, kubeconfig);
}

function showNextSteps(options: ShowExampleOptions, clusterKubeconfig: string | undefined): void {
  const admin = options.dir.adminKubeconfig();
  const kubectl = `kubectl --kubeconfig ${admin}`;
  const hasConsole = builtConsoleDir() !== undefined;
  const next = [
    ...(hasConsole ? [['Open the console', `npm run --silent crate -- console --data-dir ${options.dir.root}`]] : []),
    ['Watch clusters', `${kubectl} get clusters -A -w`],
    ...(clusterKubeconfig === undefined
      ? [firstStep(kubectl, options.sandboxUrl)]
      : [
          [
            'Scale workers',
            `${kubectl} patch cluster demo -n team-a --type=json -p '[{"op":"replace","path":"/spec/nodePools/0/replicas","value":4}]'`,
          ],
          ['Use the cluster', `kubectl --kubeconfig ${clusterKubeconfig} get pods -A`],
          ['Delete it', `${kubectl} delete cluster demo -n team-a`],
        ]),
    ...(options.sandboxUrl === undefined
      ? []
      : [['Cloud inventory', `npm run --silent crate -- sandbox inventory --data-dir ${options.dir.root}`]]),
  ];
  console.log('');
  console.log(`  API             ${options.client.server}`);
  if (hasConsole) console.log(`  Console         ${options.client.server}/console/`);
  if (options.sandboxUrl !== undefined) console.log(`  Sandbox cloud   ${options.sandboxUrl}`);
  console.log(`  kubeconfig      ${admin}`);
  if (clusterKubeconfig !== undefined) console.log(`  demo kubeconfig ${clusterKubeconfig}`);
  console.log(`  Logs            ${options.dir.logs()}\n\nNext:`);
  for (const [label, command] of next) console.log(`  ${(label ?? '').padEnd(18)}${command}`);
  console.log('\nCtrl-C stops everything and keeps the data.');
}

/** Without a sandbox the platform makes no clusters, and is there for the one that it was given. */
function firstStep(kubectl: string, sandboxUrl: string | undefined): string[] {
  if (sandboxUrl !== undefined) return ['Create a cluster', `${kubectl} apply -f ${EXAMPLE}`];
  const patch = JSON.stringify({ spec: { addOns: [{ name: 'docs' }] } });
  return ['Add an add-on', `${kubectl} patch cluster in-cluster -n platform --type=merge -p '${patch}'`];
}
