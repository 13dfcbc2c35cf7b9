/** How often a learning's evaluation may be of no use, before it waits for a person. */
export const MAX_TRIES = 3
