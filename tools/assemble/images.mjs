import { join } from 'node:path';

const SERVICES = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'];
const INSTALLATION_FOLDERS = [
  ...['certificates', 'trust', 'nats'],
  ...['admin', 'local-issuer', 'postgres', ...SERVICES].map((name) => join('services', name)),
];
const foldersOf = (service) => ['trust', join('services', service)];
const SANDBOX_ENTRIES = [
  'libs/sandbox/dist/main.js',
  'libs/sandbox/dist/rke/main.js',
  'libs/sandbox/dist/rke/write-rke-wrapper.js',
];
const READY = { 'deploy/images/ready.mjs': 'bin/ready.mjs' };

/**
 * What each image is made of. `entry`: the compiled program; all else that is its own follows from what it imports.
 * `shell`: it starts other programs on a leash, which a shell holds (libs/process), and whose first process is therefore tini.
 * `programs`: what it starts.
 * `extras`: further files and directories, from the checkout to below /opt/crate. `folders`: where volumes are mounted, below /var/lib/crate;
 * a volume that is new belongs to whom its folder in the image belongs to.
 */
export const IMAGES = {
  lifecycle: {
    entry: 'services/lifecycle/dist/main.js',
    extras: { ...READY, 'services/console/dist': 'console', 'deploy/add-ons': 'add-ons' },
    folders: foldersOf('lifecycle'),
  },
  'cloud-mgmt': {
    entry: 'services/cloud-mgmt/dist/main.js',
    shell: true,
    programs: ['terraform'],
    extras: READY,
    folders: [...foldersOf('cloud-mgmt'), 'sandbox-sockets'],
  },
  'cluster-mgmt': {
    entry: 'services/cluster-mgmt/dist/main.js',
    shell: true,
    programs: ['rke'],
    extras: READY,
    folders: [...foldersOf('cluster-mgmt'), 'sandbox-programs'],
  },
  'policy-mgmt': { entry: 'services/policy-mgmt/dist/main.js', extras: READY, folders: foldersOf('policy-mgmt') },
  /** Prepares volumes and the database, and ends. */
  init: { entry: 'services/cli/dist/installation/main.js', folders: INSTALLATION_FOLDERS },
  /** The simulated far ends, for evaluation alone. */
  sandbox: {
    entry: SANDBOX_ENTRIES[0],
    furtherEntries: SANDBOX_ENTRIES.slice(1),
    shell: true,
    folders: ['sandbox', 'sandbox-sockets', 'sandbox-programs'],
    extras: { ...READY, 'deploy/images/sandbox-programs.mjs': 'bin/sandbox-programs.mjs' },
  },
};

/**
 * A release in one folder, for a machine with glibc and nothing else of ours: the command line, what it starts, and the Node for it.
 * What it looks for in a checkout lies where it lies there, so that `crate up` runs it from anywhere, `versions/` included.
 */
const BUNDLE = {
  entry: 'services/cli/dist/main.js',
  furtherEntries: [
    'services/cli/dist/installation/main.js',
    ...SERVICES.map((name) => `services/${name}/dist/main.js`),
    'libs/service-host/dist/all-in-one.js',
    ...SANDBOX_ENTRIES,
  ],
  programs: ['terraform', 'rke', 'helm', 'nats-server'],
  extras: {
    // A file each: a link would have to be followed by a program of the machine.
    'deploy/images/crate.sh': {
      to: ['crate', 'kubectl-crate', 'kubectl_complete-crate'].map((name) => `bin/${name}`),
      mode: 0o755,
    },
    'docs/man/crate.1': 'share/man/man1/crate.1',
    ...Object.fromEntries(
      ['deploy/add-ons', 'deploy/helm/crate', 'services/cli/bin', 'services/console/dist', 'examples'].map((path) => [
        path,
        path,
      ]),
    ),
  },
  hasBase: false,
};

/** What an image, or the bundle of a release, is made of, and where in it that lies; throws where there is no such. */
export function specOf(name) {
  if (name === 'bundle') return { ...BUNDLE, layout: BUNDLE_LAYOUT };
  const found = IMAGES[name];
  if (!found) throw new Error(`There is no image ${name}; there are ${Object.keys(IMAGES).join(', ')}, and bundle`);
  return { hasBase: true, ...found, layout: LAYOUT };
}

/** Refuses programs by name that none of these images takes: a name misspelt would leave an image without its program, and nobody told. */
export function refuseUnknownPrograms(images, names) {
  const taken = new Set(images.flatMap((image) => specOf(image).programs ?? []));
  const unknown = names.filter((name) => !taken.has(name));
  if (unknown.length === 0) return;
  const takes = taken.size === 0 ? 'takes no program' : `takes ${[...taken].join(', ')}`;
  throw new Error(`--program ${unknown.join(', ')}: ${images.join(', ')} ${takes}`);
}

/** Whether it carries a mirror of Terraform providers: where Terraform is, and looks for one. */
export function takesProviders(name) {
  const { programs = [], layout } = specOf(name);
  return layout.providers !== undefined && programs.includes('terraform');
}

/** Refuses a mirror of providers that none of these images takes. */
export function refuseUnusedProviders(images) {
  if (!images.some(takesProviders)) throw new Error(`--providers: ${images.join(', ')} takes no mirror of providers`);
}

/** Those that a company's installation runs. */
export const PRODUCTION_IMAGES = Object.keys(IMAGES).filter((name) => name !== 'sandbox');

/** Who all of them run as; no such user exists elsewhere, as with distroless images. */
export const USER = { name: 'crate', id: 65_532 };

/** Where things lie in an image. */
export const LAYOUT = {
  home: join('opt', 'crate'),
  node: join('usr', 'local', 'bin', 'node'),
  programs: join('usr', 'local', 'bin'),
  state: join('var', 'lib', 'crate'),
  bill: join('usr', 'share', 'crate', 'sbom.cdx.json'),
  licences: join('usr', 'share', 'crate', 'THIRD-PARTY-LICENCES.txt'),
  /** Where Terraform looks without being told, before it asks a registry. */
  providers: join('usr', 'share', 'terraform', 'plugins'),
};

/** The same for the bundle of a release, from its top. */
const BUNDLE_LAYOUT = {
  home: '',
  node: join('bin', 'node'),
  programs: 'programs',
  bill: 'sbom.cdx.json',
  licences: 'THIRD-PARTY-LICENCES.txt',
};
