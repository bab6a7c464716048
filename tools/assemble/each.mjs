import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { assemble } from './assemble.mjs';

if (!isMainThread) parentPort.postMessage(assemble(workerData));

/**
 * As `assemble` of each, in their order, as many at once as there are processors: each is made step by step, in a thread of its own. Throws
 * why one cannot be made, once those under way have ended; further ones are not begun.
 */
export async function assembleEach(wanted) {
  const made = [];
  const left = [...wanted.entries()];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) made[next[0]] = await inThread(next[1]);
  };
  const giveUp = (error) => {
    left.length = 0;
    throw error;
  };
  const ended = await Promise.allSettled(Array.from({ length: availableParallelism() }, () => work().catch(giveUp)));
  for (const { reason } of ended) if (reason) throw reason;
  return made;
}

async function inThread(options) {
  const [made] = await once(new Worker(new URL(import.meta.url), { workerData: options }), 'message');
  return made;
}
