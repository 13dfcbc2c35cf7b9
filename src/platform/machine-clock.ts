/**
 * Milliseconds that never jump and are the same for all processes of a machine, unlike those of `Clock`, which each
 * process counts from its own start: for deadlines that one process gives another. They stand still while the machine
 * sleeps.
 */
export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}
