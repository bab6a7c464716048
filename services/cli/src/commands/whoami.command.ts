import { Command } from 'commander';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';

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

/** `crate whoami`: who the API takes the caller for. */
export function whoamiCommand(): Command {
  return withApiOptions(new Command('whoami').description('Show who the API takes you for'))
    .addOption(formatOption('text'))
    .action(async (options: ApiOptions & { readonly output: OutputFormat }) => {
      const api = await apiOf(options);
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const { userInfo } = (await api.create<Review>(REVIEWS, body)).status;
      const extra = Object.entries(userInfo.extra ?? {});
      printAs(options.output, userInfo, () => [
        userInfo.username,
        ...(userInfo.groups ?? []).map((group) => `  group ${group}`),
        ...extra.map(([key, values]) => `  ${key} ${values.join(', ')}`),
      ]);
    });
}
