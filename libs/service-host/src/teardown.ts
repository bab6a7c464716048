/** What has to be undone, last opened first. */
export class Teardown {
  private readonly steps: (() => unknown)[] = [];

  /** States how to undo what comes next or was just opened. */
  add(undo: () => unknown): void {
    this.steps.push(undo);
  }

  /** Undoes everything, also when a step fails; throws the first failure at the end. Idempotent. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let undo = this.steps.pop(); undo; undo = this.steps.pop()) {
      try {
        await undo();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
