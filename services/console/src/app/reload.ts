/** What browsers do that tests cannot have done. */
export const BROWSER = {
  reload: (): void => globalThis.location.reload(),
  goTo: (address: string): void => globalThis.location.assign(address),
};

/** Whether code is not there any more, as after another version of the console was installed. */
export function isGone({ message }: Error): boolean {
  return /^((Failed to fetch|error loading) dynamically imported module|Importing a module script failed|Unable to preload CSS)/.test(
    message,
  );
}

/** Loads the page anew, once in this tab for each thing that is missing; false when that was done. */
export function reloadFor({ message }: Error): boolean {
  const key = `crate-reload:${message}`;
  if (sessionStorage.getItem(key) !== null) return false;
  sessionStorage.setItem(key, '1');
  BROWSER.reload();
  return true;
}
