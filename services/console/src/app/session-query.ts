/** Key of the query that holds who is signed in. */
export const SESSION_QUERY = ['session'] as const;
