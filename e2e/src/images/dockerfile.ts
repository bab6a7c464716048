import { textOf } from './checkout.js';

/** What an engine runs of an image when nobody says otherwise. */
export interface ImageConfig {
  readonly user: string;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  /** Of its last stage. */
  readonly from: string;
}

/** The targets of deploy/images/Dockerfile. Reads the instructions that are used there, written as they are there. */
export function readDockerfile(): ReadonlyMap<string, ImageConfig> {
  const text = textOf('deploy/images/Dockerfile').replaceAll('\\\n', ' ');
  const stages = text.split(/^FROM /m).slice(1);
  return new Map(stages.map((stage) => [/^.* AS (\S+)/.exec(stage)?.[1] ?? '', imageConfig(stage)]));
}

function imageConfig(stage: string): ImageConfig {
  const last = (instruction: string): string => allOf(stage, instruction).at(-1) ?? '';
  const pairs = allOf(stage, 'ENV').flatMap((line) => line.split(/\s+/).map((pair) => pair.split(/=(.*)/s)));
  return {
    from: stage.split('\n')[0]?.split(' AS ')[0] ?? '',
    user: last('USER'),
    workingDirectory: last('WORKDIR'),
    environment: Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value])),
    entrypoint: JSON.parse(last('ENTRYPOINT') || '[]') as string[],
  };
}

function allOf(stage: string, instruction: string): readonly string[] {
  return [...stage.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, value = '']) => value.trim());
}
