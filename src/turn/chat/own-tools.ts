/** Tools of the server itself, which no approval is asked for: they keep what was said, and have no effect outside. */
export const REMEMBER_TOOL = 'memory__remember'
export const KEEP_SECRET_TOOL = 'session__keep_secret'
export const OWN_TOOLS: ReadonlySet<string> = new Set([REMEMBER_TOOL, KEEP_SECRET_TOOL])
