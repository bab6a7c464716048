import { spawn, type ChildProcess, execFile } from 'node:child_process';
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { TestAuthority } from '@crate/testing';
import { BUNDLE } from '../release-facts.js';
import { FOLDER, ROOT } from '../written-files.js';

const run = promisify(execFile);

/** What CloudFormation is told. */
export interface Signal {
  readonly Status: string;
  readonly Reason: string;
  readonly UniqueId: string;
  readonly Data: string;
}

/** Programs of the machine and of AWS; each writes down what it was called with. */
const PROGRAMS: Readonly<Record<string, string>> = {
  aws: `left=$(cat "$CRATE_ROOT/refused-$2" 2> /dev/null || echo 0)
if ((left > 0)); then echo $((left - 1)) > "$CRATE_ROOT/refused-$2"; exit 1; fi
if [[ $2 == get-secret-value ]]; then echo '{"accessKeyId":"AKIDEXAMPLE","secretAccessKey":"a/b+c"}'; fi`,
  blkid: 'if [[ -e $CRATE_ROOT/formatted ]]; then echo xfs; fi',
  mountpoint: '[[ -e $CRATE_ROOT/mounted ]]',
  mount: 'touch "$CRATE_ROOT/mounted"',
  umount: '[[ $1 == --lazy || ! -e $CRATE_ROOT/busy ]] && rm "$CRATE_ROOT/mounted"',
  sync: 'true',
  'mkfs.xfs': 'touch "$CRATE_ROOT/formatted"',
  shutdown: 'true',
};

/** Programs that have the time be over once the command line hangs, and not sooner however slow the machine is. */
const HASTE: Readonly<Record<string, string>> = {
  timeout: `echo "timeout $*" >> "$CRATE_ROOT/calls"
shift 3
"$@" &
until ! kill -0 $! 2> /dev/null; do
  if [[ -e $CRATE_ROOT/hanging ]]; then mv "$CRATE_ROOT/hanging" "$CRATE_ROOT/late"; kill $!; fi
  sleep 0.05
done
wait $!`,
  date: `now=$(command -p date "$@")
if [[ $1 == +%s && -e $CRATE_ROOT/late ]]; then now=$((now + CRATE_TIMEOUT_SECONDS)); fi
echo "$now"`,
};

/** The command line of the release: does what the file `plan` says, a line for each start. */
const CRATE = `
echo "crate $* key=$AWS_ACCESS_KEY_ID/$AWS_SECRET_ACCESS_KEY" >> "$CRATE_ROOT/calls"
echo "umask $(umask) $(cd "$CRATE_ROOT/var/lib/crate" && stat -c '%n=%a' . credentials.json | tr '\\n' ' ')" >> "$CRATE_ROOT/calls"
mkdir -p "$CRATE_ROOT/var/lib/crate/data/singleton"
if [[ $1 == down ]]; then exit; fi
plan=$(head -n 1 "$CRATE_ROOT/plan"); sed -i 1d "$CRATE_ROOT/plan"
case $plan in
  hang)
    [[ -e $CRATE_ROOT/var/lib/crate/data/bootstrap.json ]] || echo '{"steps":{}}' > "$CRATE_ROOT/var/lib/crate/data/bootstrap.json"
    echo 'Waiting for machines'; echo started > "$CRATE_ROOT/hanging"; exec sleep 600 ;;
  fail)
    echo 'crate: not the last' >&2
    echo 'crate: QuotaExceeded: no "address" is left \\\\' >&2
    echo 'ask for more' >&2
    exit 1 ;;
  fail-past-pivot)
    echo '{"steps":{"pivot":"2026-01-01T00:00:00.000Z"}}' > "$CRATE_ROOT/var/lib/crate/data/bootstrap.json"
    echo 'crate: NotWell: cloud-mgmt is not ready' >&2
    exit 1 ;;
  too-late) echo 'crate: HasMoved: it has taken over' >&2; exit 1 ;;
esac
mkdir -p "$CRATE_ROOT/var/lib/crate/data"
echo kubeconfig > "$CRATE_ROOT/var/lib/crate/data/admin.kubeconfig"
printf '{"url":"https://platform.example.com",\\n "version":"1.2.0"}\\n' > "$CRATE_ROOT/var/lib/crate/result.json"
`;

/** A machine, a release and AWS, all of them made up, for the real script. */
export class ScriptBench {
  readonly signals: Signal[] = [];
  /** Whether the data volume was mounted when it was told. */
  readonly mountedAtSignal: boolean[] = [];
  readonly asked: string[] = [];
  /** Files of the release, by name. */
  readonly release = new Map<string, Buffer>();
  /** Where the machine comes from, as others see it; undefined: nobody says. */
  seenAddress: string | undefined = '198.51.100.7';
  /** Whether CloudFormation takes what it is told. */
  isHeard = true;
  settings: Record<string, string> = {};
  private readonly started: ChildProcess[] = [];
  private server: Server | undefined;

  private constructor(
    private readonly directory: string,
    private readonly path: string,
  ) {}

  /** `path`: where the programs are that are not made up. */
  static async start(path: string): Promise<ScriptBench> {
    const bench = new ScriptBench(await mkdtemp(join(tmpdir(), 'crate-marketplace-')), path);
    await mkdir(join(bench.directory, 'bin'));
    await mkdir(join(bench.directory, 'dev'));
    for (const name of ['plan', 'calls', 'dev/sdf']) await writeFile(bench.at(name), '');
    for (const [name, body] of Object.entries(PROGRAMS)) await bench.program(join('bin', name), body, name);
    await bench.makeRelease(await bench.serve());
    return bench;
  }

  async close(): Promise<void> {
    for (const child of this.started) if (isRunning(child)) kill(child);
    this.server?.closeAllConnections();
    this.server?.close();
    await rm(this.directory, { recursive: true });
  }

  /** What the next starts of the command line come to. */
  async plan(...outcomes: readonly ('succeed' | 'fail' | 'hang' | 'fail-past-pivot' | 'too-late')[]): Promise<void> {
    await writeFile(this.at('plan'), outcomes.map((each) => `${each}\n`).join(''));
  }

  /** Starts the script as the machine does, and gives how it ended; with `until`, kills it once that file is there. */
  async boot(until?: string): Promise<number | null> {
    if (until !== undefined) await rm(this.at(until), { force: true });
    const child = this.bash(join(ROOT, FOLDER, 'bootstrap.sh'));
    const ended = once(child, 'exit') as Promise<[number | null]>;
    if (until !== undefined) {
      while (isRunning(child) && !existsSync(this.at(until))) await new Promise((resolve) => setTimeout(resolve, 20));
      kill(child);
    }
    const [code] = await ended;
    return code;
  }

  /** Has a person type commands on the machine, and gives how the last one ended. */
  async type(commands: string): Promise<number | null> {
    const here = commands.replaceAll('/var/lib/crate', this.at('var/lib/crate'));
    const [code] = (await once(this.bash('-c', here), 'exit')) as [number | null];
    return code;
  }

  /** What was called, a line each. */
  async calls(): Promise<readonly string[]> {
    return (await readFile(this.at('calls'), 'utf8')).trim().split('\n');
  }

  async log(): Promise<string> {
    return this.read('var/log/crate-bootstrap.log');
  }

  async read(path: string): Promise<string> {
    return readFile(this.at(path), 'utf8');
  }

  /** Stops the machine, which forgets what was mounted. */
  async stop(): Promise<void> {
    await rm(this.at('mounted'));
  }

  /** Has AWS refuse the next reads or writes of a secret. */
  async refuseSecrets(times: number, call: 'get' | 'put' = 'put'): Promise<void> {
    await writeFile(this.at(`refused-${call}-secret-value`), `${times}`);
  }

  /** Has the stack's patience end when the command line hangs. */
  async endTimeWhenHanging(): Promise<void> {
    for (const [name, body] of Object.entries(HASTE)) await this.program(join('bin', name), body);
  }

  /** Has somebody use the data volume who does not let go of it. */
  async keepBusy(): Promise<void> {
    await writeFile(this.at('busy'), '');
  }

  /** Who may do what with a file or folder, as three digits. */
  async modeOf(path: string): Promise<string> {
    return ((await stat(this.at(path))).mode & 0o777).toString(8);
  }

  async linkOf(path: string): Promise<string> {
    return readlink(this.at(path));
  }

  has(path: string): boolean {
    return existsSync(this.at(path));
  }

  private bash(...args: readonly string[]): ChildProcess {
    const env = { PATH: [this.at('bin'), this.path].join(delimiter), ...this.settings };
    const child = spawn('bash', args, { env, stdio: 'ignore', detached: true });
    this.started.push(child);
    return child;
  }

  private at(path: string): string {
    return join(this.directory, path);
  }

  private async program(path: string, body: string, name?: string): Promise<void> {
    const told = name === undefined ? '' : `echo "${name} $*" >> "$CRATE_ROOT/calls"\n`;
    await writeFile(this.at(path), `#!/bin/bash\n${told}${body}\n`);
    await chmod(this.at(path), 0o755);
  }

  private async makeRelease(url: string): Promise<void> {
    await mkdir(this.at('bundle/bin'), { recursive: true });
    await mkdir(this.at('var/log'), { recursive: true });
    await this.program('bundle/bin/crate', CRATE);
    await run('tar', ['-czf', this.at(BUNDLE), '-C', this.at('bundle'), '.']);
    const bundle = await readFile(this.at(BUNDLE));
    const sha256 = createHash('sha256').update(bundle).digest('hex');
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const sums = Buffer.from(`${'0'.repeat(64)}  other.tgz\n${sha256}  ${BUNDLE}\n`);
    this.release.set(BUNDLE, bundle).set('SHA256SUMS', sums);
    this.release.set('SHA256SUMS.sig', Buffer.from(createSign('sha256').update(sums).sign(privateKey, 'base64')));
    this.settings = {
      CRATE_ROOT: this.directory,
      CRATE_STACK: 'my-stack',
      CRATE_REGION: 'eu-west-1',
      CRATE_ACCOUNT: '123456789012',
      CRATE_NAME: 'crate',
      CRATE_RELEASE_URL: `${url}/release`,
      CRATE_RELEASE_SHA256: sha256,
      CRATE_RELEASE_KEY: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      CRATE_MANAGEMENT_NETWORKS: '198.51.100.7/32,203.0.113.0/24',
      CRATE_ON_FAILURE: 'undo',
      CRATE_TIMEOUT_SECONDS: '7200',
      CRATE_MACHINE_BOUNDARY: 'arn:aws:iam::123456789012:policy/b',
      CRATE_PRODUCT_CODE: 'abc123',
      CRATE_SELF_UPGRADE: 'on',
      CRATE_CREDENTIALS_SECRET: 'credentials',
      CRATE_ADMINISTRATOR_SECRET: 'administrator',
      CRATE_DATA_DEVICE: '/dev/sdf',
      CRATE_SIGNAL_URL: `${url}/signal?Signature=a%2Fb&Expires=1`,
      CRATE_ADDRESS_URL: `${url}/address`,
      CRATE_RETRIES: '0',
      CRATE_ATTEMPTS: '2',
      CRATE_PAUSE_SECONDS: '0',
      CURL_CA_BUNDLE: this.at('ca.crt'),
    };
  }

  /** The release, and the address that CloudFormation waits at. */
  private async serve(): Promise<string> {
    const authority = await TestAuthority.create(this.directory);
    const files = await authority.issue('server');
    const [cert, key] = await Promise.all([readFile(files.certificateFile), readFile(files.keyFile)]);
    this.server = createServer({ cert, key }, (request, response) => {
      void text(request).then((body) => {
        const path = new URL(request.url ?? '/', 'https://localhost').pathname;
        this.asked.push(path);
        const answer = this.answer(path, body);
        response.writeHead(answer === undefined ? 404 : 200).end(answer);
      });
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private answer(path: string, body: string): Buffer | string | undefined {
    if (path === '/signal' && !this.isHeard) return undefined;
    if (path === '/signal') {
      this.signals.push(JSON.parse(body) as Signal);
      this.mountedAtSignal.push(this.has('mounted'));
      return '';
    }
    if (path === '/address') return this.seenAddress;
    return this.release.get(path.replace('/release/', ''));
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** The whole group: what the script has started goes with it. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
