/** Whether somebody wants to look at every page in the dark theme, too. */
export const IS_DARK_PHOTOGRAPHED = (process.env['CONSOLE_PICTURES'] ?? '') !== '';
