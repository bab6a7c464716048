import type { SubresourceReader } from '@crate/resource-server';
import type { LocalPods } from '../containers/local-pods.js';
import type { Pod } from '../kinds/pod.js';

/** What a container that is a process wrote last; simulated ones say whether they run, and nothing else. */
export function podLog(pods: () => LocalPods | undefined): SubresourceReader {
  return (object, _ref, _context, query) => {
    const pod = object as Pod;
    const container = query?.['container'];
    return Promise.resolve(pods()?.logOf(pod, container) ?? simulatedLog(pod, container));
  };
}

function simulatedLog({ status, spec }: Pod, chosen: string | undefined): string {
  const shown = (status?.containerStatuses ?? []).filter(({ name }) => chosen === undefined || name === chosen);
  const lines = shown.map((container) => {
    const image = spec.containers.find(({ name }) => name === container.name)?.image ?? '';
    return `${container.name}: simulated container of ${image}, ${container.ready ? 'running' : 'not running'}\n`;
  });
  return lines.join('');
}
