/** Is no plugin. */
export const plugin = 'none'
