/** The rows of the table of a document whose first column is called `first`: the cells of each, without the header. */
export function tableRows(document: string, first: string): string[][] {
  const lines = document.split('\n')
  const header = lines.findIndex((line) => new RegExp(`^\\| ${first} +\\|`).test(line))
  if (header === -1) throw new Error(`no table whose first column is "${first}"`)
  const behind = lines.slice(header + 2)
  const end = behind.findIndex((line) => !line.startsWith('|'))
  return behind.slice(0, end === -1 ? behind.length : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** The texts that stand in backticks. */
export function codes(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}
