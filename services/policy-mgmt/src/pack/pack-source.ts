import { createHash } from 'node:crypto';
import { readPacks, type PackedPolicy } from '@crate/policy-engine';

/** Where packs come from. */
export abstract class PackSource {
  /** As a person configured it. */
  abstract readonly name: string;

  /** All rules of it, or none of them: throws when anything of it cannot be read or is not trusted. */
  abstract read(): Promise<readonly PackedPolicy[]>;

  /** The value of the label that its rules carry. */
  get label(): string {
    return createHash('sha256').update(this.name).digest('hex').slice(0, 16);
  }
}

/** Every `*.yaml` of a directory. */
export class FolderSource extends PackSource {
  constructor(readonly name: string) {
    super();
  }

  override async read(): Promise<readonly PackedPolicy[]> {
    return readPacks(this.name);
  }
}
