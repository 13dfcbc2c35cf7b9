/**
 * How often a test does what it does at random or in a race: `usual` in every run of the tests, `long` with
 * FACTOTUM_TEST_LONG=1, which takes minutes more.
 */
export function rounds(usual: number, long: number): number {
  return process.env['FACTOTUM_TEST_LONG'] === '1' ? long : usual
}
