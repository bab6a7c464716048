import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort, GuardedProcess } from '@crate/local-servers';
import { ROOT } from '@crate/observability';
import { eventually, type CratePlatform } from '@crate/testing';
import { parse, stringify } from 'yaml';

interface Answer<T> {
  readonly status: 'success' | 'error';
  readonly data: T;
  readonly error?: string;
}

/** A series as the API of Prometheus gives it. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export interface Target {
  readonly health: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly lastError: string;
}

export interface EvaluatedRule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly state?: string;
  readonly type: 'recording' | 'alerting';
}

const SCRAPE_SECONDS = 2;

/** Prometheus with the configuration that is shipped, on a platform of a test; only quicker. */
export class Prometheus {
  private constructor(
    private readonly process: GuardedProcess,
    private readonly url: string,
  ) {}

  static async start(platform: CratePlatform): Promise<Prometheus> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-prometheus-'));
    const port = await freePort();
    const config = join(directory, 'prometheus.yml');
    await writeFile(config, await configOn(platform, directory));
    const process = await GuardedProcess.start({
      command: 'prometheus',
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${directory}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      directory,
      removesDirectory: true,
      stopSignal: 'TERM',
    });
    const prometheus = new Prometheus(process, `http://127.0.0.1:${port}`);
    await eventually(async () => (await fetch(`${prometheus.url}/-/ready`)).ok, { timeoutMs: 60_000 });
    return prometheus;
  }

  async query(expression: string): Promise<readonly Sample[]> {
    const { result } = await this.get<{ readonly result: readonly Sample[] }>(
      `query?query=${encodeURIComponent(expression)}`,
    );
    return result;
  }

  async targets(): Promise<readonly Target[]> {
    return (await this.get<{ readonly activeTargets: readonly Target[] }>('targets')).activeTargets;
  }

  async rules(): Promise<readonly EvaluatedRule[]> {
    const { groups } = await this.get<{ readonly groups: readonly { readonly rules: readonly EvaluatedRule[] }[] }>(
      'rules',
    );
    return groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    await this.process.stop({ keepDirectory: false });
  }

  private async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as Answer<T>;
    if (status !== 'success') throw new Error(`${decodeURIComponent(path)}: ${error}`);
    return data;
  }
}

/** The file that is shipped, with the platform's own targets, and no patience. */
async function configOn(platform: CratePlatform, directory: string): Promise<string> {
  const folder = join(ROOT, 'deploy', 'prometheus');
  const shipped = parse(await readFile(join(folder, 'prometheus.yml'), 'utf8')) as {
    readonly rule_files: readonly string[];
    readonly scrape_configs: readonly [Record<string, unknown>];
  };
  const [scrape] = shipped.scrape_configs;
  const files = [join(platform.directory, 'prometheus-targets.json')];
  await copyRules(folder, directory, shipped.rule_files);
  return stringify({
    global: { scrape_interval: `${SCRAPE_SECONDS}s`, evaluation_interval: `${SCRAPE_SECONDS}s` },
    rule_files: shipped.rule_files.map((file) => join(directory, file)),
    scrape_configs: [{ ...scrape, file_sd_configs: [{ files, refresh_interval: '1s' }] }],
  });
}

/** Rules as they are shipped, evaluated as often as targets are scraped: no test waits for minutes. */
async function copyRules(from: string, to: string, patterns: readonly string[]): Promise<void> {
  for (const folder of patterns.map(dirname)) {
    await mkdir(join(to, folder), { recursive: true });
    for (const name of await readdir(join(from, folder))) {
      const text = await readFile(join(from, folder, name), 'utf8');
      await writeFile(join(to, folder, name), text.replaceAll(/^ +interval: .*\n/gm, ''));
    }
  }
}
