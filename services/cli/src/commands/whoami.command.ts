import { Command, Option } from 'commander';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';

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
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .action(async (options: ApiOptions & { readonly output: string }) => {
      const api = await apiOf(options);
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const { userInfo } = (await api.create<Review>(REVIEWS, body)).status;
      if (options.output === 'json') {
        console.log(JSON.stringify(userInfo, undefined, 2));
        return;
      }
      console.log(userInfo.username);
      for (const group of userInfo.groups ?? []) console.log(`  group ${group}`);
      for (const [key, values] of Object.entries(userInfo.extra ?? {})) console.log(`  ${key} ${values.join(', ')}`);
    });
}
