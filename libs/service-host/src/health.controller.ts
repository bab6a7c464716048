import { Controller, Get, Header, HttpCode, HttpException, Inject } from '@nestjs/common';
import { HealthRegistry, Metrics, type HealthReport } from '@crate/telemetry';

/** What a kubelet and Prometheus ask for. */
@Controller()
export class HealthController {
  constructor(
    @Inject(HealthRegistry) private readonly health: HealthRegistry,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  @Get('healthz')
  @HttpCode(200)
  live(): HealthReport {
    return this.health.live();
  }

  @Get('readyz')
  async ready(): Promise<HealthReport> {
    const report = await this.health.ready();
    if (!report.ok) throw new HttpException(report, 503);
    return report;
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  scrape(): Promise<string> {
    return this.metrics.text();
  }
}
