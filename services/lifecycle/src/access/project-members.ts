import type { Project, ProjectRole } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import { membersOf, roleIn, type Members } from './caller-role.js';

/** Nobody is judged by what was true longer ago: a replica that is cut off refuses rather than let in who was put out. */
const OLDEST_MS = 15_000;

/** What every Project says about its members, in memory: a decision reads no database. */
export class ProjectMembers {
  private members = new Map<string, Members>();
  /** When all that was stored then had been seen here. */
  private freshAt = -Infinity;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Takes the place of all that was known. */
  replace(projects: readonly Project[]): void {
    this.members = new Map(projects.map((project) => [project.metadata.name, membersOf(project)]));
  }

  set(project: Project): void {
    this.members.set(project.metadata.name, membersOf(project));
  }

  remove(name: string): void {
    this.members.delete(name);
  }

  /** Everything stored up to this time, by the clock given, is known. */
  confirm(at: number): void {
    this.freshAt = Math.max(this.freshAt, at);
  }

  /** Whether there is such a Project, as far as it is known here. */
  has(project: string): boolean {
    return this.members.has(project);
  }

  /** Undefined for strangers and for Projects that do not exist. Throws Unavailable while too little is known. */
  roleOf(caller: Caller, project: string): ProjectRole | undefined {
    if (this.now() - this.freshAt > OLDEST_MS) throw unavailable('Members of Projects are being read, try again');
    const members = this.members.get(project);
    return members && roleIn(project, members, caller);
  }
}
