/** What goes when it is old: the kinds that `[retention]` of config.toml names. */
export const RETENTION_KINDS = ['events', 'outputs', 'turns', 'messages', 'deliveries', 'workspaces'] as const
export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** Stands in place of an output that was removed: a task that printed nothing is another matter. */
export const REMOVED_OUTPUT = '[removed]'
