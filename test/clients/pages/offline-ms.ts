/** How long pages are in a tunnel: in the long run half a minute, otherwise only while something is said meanwhile. */
export const OFFLINE_MS = process.env['FACTOTUM_TEST_LONG'] === '1' ? 30_000 : 0
