import { driftText, planText, PROJECT, stateDiffText, type CertificateReport, type PlatformStatus } from '@crate/api';
import type { UserAuthenticator } from '@crate/auth';
import { CertificateFiles } from '@crate/http-guard';
import { ServiceDirectory } from '@crate/messaging';
import {
  createResourceHttpServer,
  OpenApiDocuments,
  type ResourceHttpServer,
  type ServerVersion,
} from '@crate/resource-server';
import type { Foundation } from '@crate/service-host';
import { historyStart } from '../access/history-start.js';
import { DISCOVERY_PATHS, ProjectAuthorizer } from '../access/project-authorizer.js';
import type { ProjectMembers } from '../access/project-members.js';
import { auditRoutes } from '../audit/audit-routes.js';
import { mergedAudit } from '../audit/audit.parts.js';
import { upgradePlanRoute, type PlanUpgrade } from '../component/upgrade-plan.route.js';
import type { KnownAccounts } from '../cluster/known-accounts.js';
import type { LifecycleConfig } from '../config.js';
import { FleetAccess } from '../fleet/fleet-access.js';
import type { FleetIndex } from '../fleet/fleet-index.js';
import { fleetRoute } from '../fleet/fleet-route.js';
import { platformRoute } from '../platform-status/platform-route.js';
import { Authentication } from './authentication.js';
import { doorAuthorization } from './authorization.js';
import { openConsole } from './console/console.js';
import { noCustomResourceDefinitions } from './custom-resource-definitions.js';
import { doorGuard, signInLimits } from './door-guard.js';
import { asyncApiRoute } from './docs/asyncapi-route.js';
import { docsRoute } from './docs/docs-route.js';
import { DOOR_DOCUMENTS } from './docs/door-documents.js';
import { indexRoute } from './docs/index-route.js';
import { breakGlass } from './terraform/break-glass.js';
import { terraformRoute } from './terraform/terraform-route.js';
import { tenantRouter } from './tenant-router.js';

/** The Kubernetes release whose API machinery Crate's own API behaves like; clients pick their dialect by it. */
const VERSION: ServerVersion = {
  major: '1',
  minor: '31',
  gitVersion: 'v1.31.4+crate.0.1.0',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

/** What the reference says of the API as a whole. */
const API_INFO = {
  title: 'Crate',
  version: VERSION.gitVersion,
  description:
    'Kubernetes as a product: clusters, their clouds, add-ons and rules as resources. `kubectl` speaks this API as it is.',
};

/** What the door asks others about. */
export interface FrontDoorParts {
  /** Known before the door opens. */
  readonly members: ProjectMembers;
  /** What is remembered of accounts, to be forgotten when one goes. */
  readonly accounts: Pick<KnownAccounts, 'forget'>;
  /** Knows the tokens of API keys. */
  readonly machines: UserAuthenticator;
  /** Answers once it is known. */
  readonly fleet: FleetIndex;
  /** How the platform is. */
  readonly platform: () => Promise<PlatformStatus>;
  /** What an upgrade of it would lead to. */
  readonly planUpgrade: PlanUpgrade;
}

/** The public API: one HTTPS address for the kinds of every service, found at run time. */
export class FrontDoor {
  /** Every kind of every service, this one's own included. */
  readonly directory: ServiceDirectory;
  private server: ResourceHttpServer | undefined;
  private authentication: Authentication | undefined;
  private certificate: CertificateFiles | undefined;

  constructor(
    private readonly foundation: Foundation,
    private readonly config: Pick<LifecycleConfig, 'api' | 'authentication' | 'console' | 'keys'>,
    private readonly parts: FrontDoorParts,
  ) {
    const { nats: connection, calls, verifier, registry, service, logger } = foundation;
    const heard = registry.calleesOf(service);
    this.directory = new ServiceDirectory({ connection, calls, verifier, registry, heard, logger });
  }

  /** Listens; kinds of services that start later appear by themselves. */
  async open(): Promise<void> {
    const { kinds, api, moved, logger } = this.foundation;
    this.directory.addLocal(kinds.infos(), api);
    const definitions = noCustomResourceDefinitions();
    this.directory.addLocal([definitions.kind], definitions.api);
    this.directory.start();
    const { authentication, keys } = this.config;
    const { members, machines, fleet, platform, planUpgrade } = this.parts;
    const { host, port, tls, http2, reusePort, drainMs } = this.config.api;
    this.authentication = await Authentication.open({ ...authentication, keys, machines, logger });
    this.certificate = await CertificateFiles.open({ ...tls, logger });
    const documents = new OpenApiDocuments(API_INFO, DOOR_DOCUMENTS);
    const docs = docsRoute({ kinds: this.directory, documents });
    const router = tenantRouter(this.directory, this.foundation, this.parts);
    const signIns = signInLimits(this.foundation, this.config.api);
    const authenticate = signIns.around(this.authentication.authenticate);
    const guard = doorGuard(this.foundation, this.config.api, router, authenticate);
    const console = await openConsole({
      ...this.config.console,
      foundation: this.foundation,
      issuers: this.authentication.trusted,
      signIns,
      authenticate,
    });
    const index = indexRoute(console.isInstalled ? '/console/' : undefined);
    const pages = [...console.routes, docs, asyncApiRoute(VERSION.gitVersion), index];
    const authorizer = new ProjectAuthorizer(members);
    const authorize = doorAuthorization(authorizer);
    const access = new FleetAccess(authorizer, fleet.labels.project);
    this.server = await createResourceHttpServer({
      router,
      awayOwner: (group) => this.directory.awayOwner(group),
      ...guard,
      authenticate: console.authenticate,
      extraRoutes: [
        this.authentication.route,
        ...pages,
        ...auditRoutes(mergedAudit(this.foundation), authorize, historyStart(this.foundation.clients.for(PROJECT))),
        terraformRoute(router, breakGlass(this.config.api.breakGlassGroups)),
        fleetRoute({ index: fleet, access, authenticate: console.authenticate, moved, logger }),
        platformRoute(platform),
        upgradePlanRoute(planUpgrade),
      ],
      documents,
      texts: { DriftReport: driftText, RunPlan: planText, StateDiff: stateDiffText },
      authorize,
      paths: DISCOVERY_PATHS,
      version: VERSION,
      logger,
      tls: this.certificate.current,
      http2,
      listener: { drainMs },
    });
    const url = await this.server.listen(port, host, { reusePort });
    this.followCertificate(this.server, this.certificate);
    logger.info('Serving the public API', { url });
  }

  /** Of the public API, once it is open. */
  certificates(): Promise<readonly CertificateReport[]> {
    const found = this.certificate && { use: 'api', expiresAt: this.certificate.validTo.toISOString() };
    return Promise.resolve(found ? [found] : []);
  }

  /** Stops listening, lets clients go and ends open watches; idempotent. What is still asked is answered. */
  async close(): Promise<void> {
    await this.server?.close();
    this.directory.stop();
    this.authentication?.close();
    this.certificate?.close();
  }

  private followCertificate(server: ResourceHttpServer, certificate: CertificateFiles): void {
    certificate.follow((files) => server.renewCertificate(files));
    this.foundation.metrics.gauge({
      name: 'crate_api_certificate_expiry_timestamp_seconds',
      help: 'When the certificate of the public API ends, in seconds since 1970.',
      collect: (gauge) => gauge.set(certificate.validTo.getTime() / 1000),
    });
  }
}
