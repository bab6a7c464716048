import { apiOf } from '../client/context.js';
import type { ApiOptions } from '../commands/api-options.js';
import { printAs, type OutputFormat } from '../output/print.js';

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

interface Review {
  readonly status: {
    readonly userInfo: {
      readonly username: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

export async function runWhoami(options: ApiOptions & { readonly output: OutputFormat }): Promise<void> {
  const api = await apiOf(options);
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { userInfo } = (await api.create<Review>(REVIEWS, body)).status;
  const extra = Object.entries(userInfo.extra ?? {});
  printAs(options.output, userInfo, () => [
    userInfo.username,
    ...(userInfo.groups ?? []).map((group) => `  group ${group}`),
    ...extra.map(([key, values]) => `  ${key} ${values.join(', ')}`),
  ]);
}
