import type { Context } from '@opentelemetry/api';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type Span,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { DroppedSpans } from './dropped-spans.js';

/** Sent together; also what is sent at once without waiting for the delay. */
const LARGEST_BATCH = 512;

export interface SpanPipelineOptions {
  readonly exporter: SpanExporter;
  readonly dropped: DroppedSpans;
  readonly maxQueueSize: number;
  readonly scheduleDelayMs: number;
  readonly timeoutMs: number;
}

/**
 * The SDK's batches with a queue that is counted here: the SDK's own tells nobody when it is full, and what it hands to the
 * exporter is no longer in it.
 */
export class SpanPipeline implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;
  private waiting = 0;

  constructor(private readonly options: SpanPipelineOptions) {
    const { maxQueueSize, scheduleDelayMs, timeoutMs } = options;
    this.batches = new BatchSpanProcessor({
      exporter: this.counting(options.exporter),
      maxQueueSize,
      maxExportBatchSize: Math.min(LARGEST_BATCH, maxQueueSize),
      scheduledDelayMillis: scheduleDelayMs,
      exportTimeoutMillis: timeoutMs,
    });
  }

  onStart(span: Span, context: Context): void {
    this.batches.onStart(span, context);
  }

  onEnd(span: ReadableSpan): void {
    if (this.waiting >= this.options.maxQueueSize) return this.options.dropped.add(1, 'queue_full');
    this.waiting += 1;
    this.batches.onEnd(span);
  }

  async forceFlush(): Promise<void> {
    await this.batches.forceFlush();
  }

  async shutdown(): Promise<void> {
    await this.batches.shutdown();
  }

  private counting(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, onEnd) => {
        this.waiting -= spans.length;
        exporter.export(spans, (result) => {
          this.judge(spans, result);
          onEnd(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    };
  }

  private judge(spans: readonly ReadableSpan[], { code, error }: ExportResult): void {
    if (code !== ExportResultCode.SUCCESS) this.options.dropped.add(spans.length, 'export_failed', error);
  }
}
