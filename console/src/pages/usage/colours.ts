/** Told apart in light and dark, and by most people who see colours otherwise; the table says the same in words. */
const COLOURS = [
  '#4e79a7',
  '#f28e2b',
  '#59a14f',
  '#e15759',
  '#76b7b2',
  '#b07aa1',
  '#c9a227',
  '#9c755f',
  '#d37295',
  '#6b8e23',
  '#8a8f98',
] as const

export function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? COLOURS[0]
}
