import type { ComponentName } from '@crate/api';

/** A process of a component, as the installer knows it. */
export interface InstalledSlot {
  readonly name: string;
  readonly version: string;
  readonly isReady: boolean;
  /** How often it ended by itself since it runs this version, as far as that says something about now. */
  readonly restarts: number;
  /** A new version is tried with it: one more than there are else, or one of them. There only while an upgrade is under way. */
  readonly isCanary: boolean;
  /** What it said before it ended last, or why it does not start. */
  readonly lastWords?: string | undefined;
}

/** What is installed of a component. */
export interface Installation {
  /** What all slots have but those of an upgrade under way. */
  readonly version: string;
  /** All that should be there, also while one of them is replaced. */
  readonly slots: readonly InstalledSlot[];
  /** Versions that could be installed since they lie there; `Fetched`: whatever is released is fetched when it is wanted. */
  readonly present: readonly string[] | 'Fetched';
  /** A new version is tried with one of the slots, and not with one more. */
  readonly isCanaryOneOfThem?: boolean | undefined;
  /** It was told last to try a version, and not how that ended. */
  readonly isUnderWay?: boolean | undefined;
  /** The version that it was told last beside one to try; undefined where it was told nothing, or nobody knows. */
  readonly asked?: string | undefined;
  /** Who said last what is to run, where that was not the installer itself. */
  readonly setBy?: string | undefined;
}

/** What shall be installed. */
export interface WantedInstallation {
  readonly version: string;
  /** Canary: one slot has this version; All: every slot does; Held: those that have it by now. */
  readonly next?: { readonly version: string; readonly stage: 'Canary' | 'All' | 'Held' } | undefined;
}

/**
 * Runs services of the platform in versions. It lives outside of them, so that it goes on while they are replaced. Both methods throw
 * PlatformError when it cannot be asked: what was wanted last goes on to be.
 */
export abstract class Installer {
  /** Undefined while nothing is known. Changes nothing. */
  abstract observe(component: ComponentName): Promise<Installation | undefined>;

  /**
   * Says what shall be, whole or not at all, and does not wait for it. Idempotent. One slot is replaced at a time, and where there are
   * several only while another one answers. Throws Conflict when somebody else said something meanwhile.
   */
  abstract ensure(component: ComponentName, wanted: WantedInstallation): Promise<void>;
}
