/**
 * Groups of files that import each other, types included: the strongly connected components with more than one file
 * (Tarjan, "Depth-first search and linear graph algorithms", 1972).
 */
export function findCycles(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []

  const lower = (file: string, to: number): void => {
    lowest.set(file, Math.min(lowest.get(file) ?? to, to))
  }
  const visit = (file: string): number => {
    const place = order.size
    order.set(file, place)
    lower(file, place)
    stack.push(file)
    for (const next of imports.get(file) ?? []) {
      const known = order.get(next)
      if (known === undefined) lower(file, visit(next))
      else if (stack.includes(next)) lower(file, known)
    }
    const low = lowest.get(file) ?? place
    if (low === place) {
      const group = stack.splice(stack.indexOf(file))
      if (group.length > 1) cycles.push(group.toSorted())
    }
    return low
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return cycles
}
