import type { ComponentName } from '@crate/api';

/** A process of a component, as the installer knows it. */
export interface InstalledSlot {
  readonly name: string;
  readonly version: string;
  readonly isReady: boolean;
  /** How often it ended by itself since it runs this version. */
  readonly restarts: number;
  /** There only while an upgrade is under way. */
  readonly isExtra: boolean;
  /** What it said before it ended last. */
  readonly lastWords?: string | undefined;
}

/** What is installed of a component. */
export interface Installation {
  /** What all slots have but those of an upgrade under way. */
  readonly version: string;
  readonly slots: readonly InstalledSlot[];
  /** Versions that could be installed, since they lie there. */
  readonly present: readonly string[];
}

/** What shall be installed. */
export interface WantedInstallation {
  readonly version: string;
  /** Canary: one more slot has this version; All: every slot does. */
  readonly next?: { readonly version: string; readonly stage: 'Canary' | 'All' } | undefined;
}

/** Runs services of the platform in versions. It lives outside of them, so that it goes on while they are replaced. */
export abstract class Installer {
  /** Undefined while nothing is known. Changes nothing. */
  abstract observe(component: ComponentName): Promise<Installation | undefined>;

  /**
   * Says what shall be, and does not wait for it. Idempotent. One slot is replaced at a time, and only while another one that is ready
   * answers in its place.
   */
  abstract ensure(component: ComponentName, wanted: WantedInstallation): Promise<void>;
}
