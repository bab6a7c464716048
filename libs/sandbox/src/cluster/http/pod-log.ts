import type { SubresourceReader } from '@crate/resource-server';
import type { Pod } from '../kinds/pod.js';

/** Simulated containers say when they started, and nothing else. */
export const podLog: SubresourceReader = (object) => {
  const { status, spec } = object as Pod;
  const lines = (status?.containerStatuses ?? []).map((container) => {
    const image = spec.containers.find(({ name }) => name === container.name)?.image ?? '';
    return `${container.name}: simulated container of ${image}, ${container.ready ? 'running' : 'not running'}\n`;
  });
  return Promise.resolve(lines.join(''));
};
