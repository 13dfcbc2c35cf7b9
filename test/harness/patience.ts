/** How long a test waits for what must come: it ends what hangs, and never what is slow because the machine is busy. */
export const PATIENCE_MS = 120_000
export const PATIENCE = { timeout: PATIENCE_MS }
