declare module 'spdx-satisfies' {
  /** Whether the licences of an expression are among the approved ones. Throws for what is no expression. */
  function satisfies(expression: string, approved: readonly string[]): boolean;
  export = satisfies;
}
