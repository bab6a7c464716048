/** Whether somebody wants to look at every page: a picture takes longer than what is asked of the page. */
export const IS_PHOTOGRAPHED = (process.env['CONSOLE_PICTURES'] ?? '') !== '';
