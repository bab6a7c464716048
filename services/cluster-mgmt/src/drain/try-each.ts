import { isRefusal } from '@crate/kubernetes';

/** Does it for each; what the cluster refuses for one keeps none of the others. Gives the first refusal, undefined when there was none. */
export async function tryEach<T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<unknown> {
  let refusal: unknown;
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal ??= error;
    }
  }
  return refusal;
}
