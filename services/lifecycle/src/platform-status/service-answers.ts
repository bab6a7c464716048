import { serviceReportSchema, type ServiceReport } from '@crate/api';
import { isPlatformError } from '@crate/errors';
import type { ServiceCaller } from '@crate/messaging';
import type { CallContext } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';
import { askService, PATIENCE_MS, SHORT_PATIENCE_MS, within } from './ask-service.js';
import type { RememberedReport, ReportMemory } from './report-memory.js';

/** What is known of a service now. */
export interface ServiceAnswer {
  readonly service: string;
  /** False: `report` is what it said last, if it ever did. */
  readonly answered: boolean;
  readonly report?: ServiceReport;
  /** How old the report is. */
  readonly ageMs: number;
  readonly tookMs: number;
  /** Why nobody answered. */
  readonly message?: string;
}

export interface ServiceAnswersOptions {
  readonly service: string;
  readonly own: () => Promise<ServiceReport>;
  readonly others: readonly string[];
  readonly calls: Pick<ServiceCaller, 'call'>;
  readonly context: CallContext;
  readonly memory: ReportMemory;
  readonly logger: Logger;
  readonly now?: () => number;
}

/** How often what is heard is written down. */
const SAVE_EVERY_MS = 10_000;

interface Heard {
  readonly report: ServiceReport;
  readonly at: number;
}

/** Asks every service how it is, all at once, and remembers what each said last. */
export class ServiceAnswers {
  private readonly heard = new Map<string, Heard>();
  private readonly savedAt = new Map<string, number>();
  private readonly silent = new Set<string>();
  private readonly now: () => number;

  constructor(private readonly options: ServiceAnswersOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** Never throws, and waits for nobody longer than two seconds. This service comes first, the others by name. */
  async ask(): Promise<readonly ServiceAnswer[]> {
    const { service, others } = this.options;
    return Promise.all([service, ...[...others].sort()].map((each) => this.answerOf(each)));
  }

  private async answerOf(service: string): Promise<ServiceAnswer> {
    const begun = this.now();
    const tookMs = (): number => Math.round(this.now() - begun);
    try {
      const report = await this.answerInTime(service);
      return { service, answered: true, report, ageMs: 0, tookMs: tookMs() };
    } catch (error) {
      this.silent.add(service);
      const known = await this.recall(service);
      const message = isPlatformError(error) ? error.message : 'It failed to answer';
      return { service, answered: false, ageMs: 0, ...known, tookMs: tookMs(), message };
    }
  }

  /** Whoever was silent is not waited for as long as asked: a late answer ends its silence, or a slow service would stay silent for good. */
  private async answerInTime(service: string): Promise<ServiceReport> {
    const asked = this.reportOf(service).then((report) => this.hear(service, report));
    return this.silent.has(service) ? within(SHORT_PATIENCE_MS, asked) : asked;
  }

  private async reportOf(service: string): Promise<ServiceReport> {
    const { service: self, own, calls, context } = this.options;
    // In the form that others get it in.
    if (service === self) return serviceReportSchema.parse(await own());
    return askService(service, { calls, context, patienceMs: PATIENCE_MS });
  }

  private hear(service: string, report: ServiceReport): ServiceReport {
    this.silent.delete(service);
    this.heard.set(service, { report, at: this.now() });
    this.saveSometimes(report);
    return report;
  }

  /** What this process heard last; one that has just started asks what was written down. */
  private async recall(service: string): Promise<RememberedReport | undefined> {
    const heard = this.heard.get(service);
    if (heard) return { report: heard.report, ageMs: this.now() - heard.at };
    const found = await this.options.memory.find(service).catch(() => undefined);
    if (found) this.heard.set(service, { report: found.report, at: this.now() - found.ageMs });
    return found;
  }

  /** In the background: nobody who looks waits for it. */
  private saveSometimes(report: ServiceReport): void {
    const { memory, logger } = this.options;
    const now = this.now();
    if (now - (this.savedAt.get(report.service) ?? -Infinity) < SAVE_EVERY_MS) return;
    this.savedAt.set(report.service, now);
    memory.save(report).catch((error: unknown) => {
      logger.warn('Failing to remember how a service is', { error, service: report.service });
    });
  }
}
