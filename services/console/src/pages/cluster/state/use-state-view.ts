import { useViewState } from '../../../components/subpages/use-view-state.js';
import { ENGINE, TERRAFORM, type StateFamily } from './state-family.js';

/** What of the history is shown, as the URL has it, and how to go on from there. */
export interface StateView {
  readonly family: StateFamily;
  /** Serial of the version whose changes are shown. */
  readonly version: string | undefined;
  /** Serial that it is compared with; undefined: the one before. */
  readonly from: string | undefined;
  readonly showFamily: (family: StateFamily) => void;
  readonly showVersion: (serial: number) => void;
  readonly compareWith: (serial: string | undefined) => void;
  readonly showNoVersion: () => void;
}

/** The view of the history of states. */
export function useStateView(): StateView {
  const [{ version, from, of }, setView] = useViewState();
  const none = { version: undefined, from: undefined };
  return {
    family: of === ENGINE.name ? ENGINE : TERRAFORM,
    version,
    from,
    showFamily: (family) => setView({ ...none, of: family === TERRAFORM ? undefined : family.name }),
    showVersion: (serial) => setView({ version: String(serial), from: undefined }),
    compareWith: (serial) => setView({ from: serial }),
    showNoVersion: () => setView(none),
  };
}
