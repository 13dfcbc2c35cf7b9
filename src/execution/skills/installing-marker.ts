/** A skill whose folder holds this file is being installed, or its installation was killed: it is not used. */
export const INSTALLING_MARKER = '.installing'
