import { mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { badRequest } from '@crate/errors';
import { Document, isMap, isSeq, LineCounter, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { YAML_OPTIONS } from '../output/print.js';
import { valueOf } from '../output/yaml-values.js';
import { findText, replaceFile } from '../up/secret-file.js';
import { cannotRead } from '../output/in-file.js';
import { cannotWrite } from '../output/out-file.js';
import { withFileLock } from '../lock/file-lock.js';

/** The lists of a kubeconfig, and what an entry of each holds. */
export type Section = 'clusters' | 'contexts' | 'users';
const HOLDS: Readonly<Record<Section, string>> = { clusters: 'cluster', contexts: 'context', users: 'user' };

/**
 * A kubeconfig that others write, too: what is not ours stays as it is, comments included.
 * Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
export class KubeconfigFile {
  private constructor(private readonly document: Document) {}

  /** Reads, lets `change` work on it, and writes it in one step; nobody else changes it meanwhile. */
  static async update<T>(path: string, change: (file: KubeconfigFile) => T): Promise<T> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(cannotWrite(path));
    const update = async (): Promise<T> => {
      const file = await KubeconfigFile.read(path);
      // A link stays one.
      const target = await realpath(path).catch(() => path);
      const result = change(file);
      await replaceFile(target, file.document.toString(), 0o600);
      return result;
    };
    return withFileLock(path, update).catch(cannotWrite(path));
  }

  /** An empty one when there is no file. */
  static async read(path: string): Promise<KubeconfigFile> {
    const text = await findText(path).catch(cannotRead(path));
    if (text === undefined || text.trim() === '') {
      return new KubeconfigFile(new Document({ apiVersion: 'v1', kind: 'Config' }, YAML_OPTIONS));
    }
    const lineCounter = new LineCounter();
    const document = parseDocument(text, { ...YAML_OPTIONS, lineCounter });
    const [mistake] = document.errors;
    if (mistake) throw badRequest(`${path} is no kubeconfig: ${mistake.message}`);
    if (!isMap(document.contents)) throw badRequest(`${path} is no kubeconfig: expected clusters, contexts and users`);
    valueOf(document, lineCounter, `${path} is no kubeconfig`);
    return new KubeconfigFile(document);
  }

  get currentContext(): string | undefined {
    return this.document.get('current-context') as string | undefined;
  }

  set currentContext(name: string) {
    this.document.set('current-context', name);
  }

  /** Of all entries. */
  names(section: Section): readonly string[] {
    return this.entries(section).map((each) => String(each.get('name')));
  }

  /** What an entry holds; undefined when there is none of the name. */
  find<T>(section: Section, name: string): T | undefined {
    const entry = this.entries(section).find((each) => each.get('name') === name);
    const content = entry?.toJS(this.document) as Record<string, unknown> | undefined;
    return content?.[HOLDS[section]] as T | undefined;
  }

  /** Adds an entry, or replaces what the one of the name holds. */
  set(section: Section, name: string, content: unknown): void {
    const entry = this.entries(section).find((each) => each.get('name') === name);
    const value = this.document.createNode(content);
    if (entry) entry.set(HOLDS[section], value);
    else this.list(section).add(this.document.createNode({ name, [HOLDS[section]]: content }));
  }

  remove(section: Section, name: string): void {
    const list = this.list(section);
    list.items = list.items.filter((item) => !isMap(item) || item.get('name') !== name);
    if (section === 'contexts' && this.currentContext === name) this.document.set('current-context', '');
  }

  private entries(section: Section): readonly YAMLMap[] {
    return this.list(section).items.filter((item) => isMap(item));
  }

  private list(section: Section): YAMLSeq {
    const list = this.document.get(section);
    if (isSeq(list)) return list;
    const made = this.document.createNode([]);
    this.document.set(section, made);
    return made;
  }
}
