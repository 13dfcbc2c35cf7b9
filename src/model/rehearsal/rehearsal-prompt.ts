/**
 * How the rehearsal model reads a prompt. It understands no language, but every prompt of src/agents carries its
 * variable parts between marker lines with a token that the first line names, under headings that the server wrote;
 * that is enough. What must hold: nothing inside a block is taken for a heading, a marker or a line of the server.
 */
export interface PromptPart {
  /** The text of the last heading before it. */
  readonly heading: string
  /** The label of the block, or null for a line that the server wrote. */
  readonly label: string | null
  readonly text: string
}

const TOKEN = /\btoken ([0-9a-f]+)\.$/

/** Whether it is a prompt of src/agents, and not what a person said in a conversation. */
export function isPrompt(text: string): boolean {
  return TOKEN.test(text.slice(0, text.indexOf('\n')))
}

/** The prompt's parts in order. A block without its end reaches to the end of the prompt. */
export function readPrompt(prompt: string): readonly PromptPart[] {
  const lines = prompt.split('\n')
  const token = TOKEN.exec(lines[0] ?? '')?.[1] ?? ''
  const begin = new RegExp(`^<<<([A-Z_]+)_${token}>>>$`)
  const parts: PromptPart[] = []
  let heading = ''
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const label = begin.exec(line)?.[1]
    if (label !== undefined) {
      const end = lines.indexOf(`<<<END_${label}_${token}>>>`, at)
      const stop = end === -1 ? lines.length : end
      parts.push({ heading, label, text: lines.slice(at + 1, stop).join('\n') })
      at = stop
    } else if (line.startsWith('#')) heading = line.replace(/^#+ /, '')
    else if (line !== '') parts.push({ heading, label: null, text: line })
  }
  return parts
}

/** The text of the first block with this label, under any heading or the one named. */
export function findBlock(parts: readonly PromptPart[], label: string, heading?: string): string | null {
  return parts.find((part) => part.label === label && (heading === undefined || part.heading === heading))?.text ?? null
}

/** The texts of all blocks with this label, in order. */
export function findBlocks(parts: readonly PromptPart[], label: string): readonly string[] {
  return parts.flatMap((part) => (part.label === label ? [part.text] : []))
}

/** A task with its result, as `src/agents/prompt/task-report.ts` writes it. */
export interface PromptTask {
  /** 0 for the first of its plan. */
  readonly index: number
  readonly type: 'EXEC' | 'SKILL' | 'TOOL'
  readonly status: string
  readonly exitCode: number | null
  /** EXEC: the command. SKILL, TOOL: its name and arguments. */
  readonly command: string
  readonly stdout: string
  readonly stderr: string
}

const HEADLINE = /^Task (\d+): (EXEC|SKILL|TOOL), ([A-Z]+)\b.*?(?:exit code (\d+))?\.$/

/** A line of a list, such as "F1: the fact". */
export interface PromptItem {
  readonly label: string
  readonly text: string
}

/** The items of the first block with this label. */
export function findItems(parts: readonly PromptPart[], label: string): readonly PromptItem[] {
  const lines = (findBlock(parts, label) ?? '').split('\n')
  return lines.flatMap((line) => {
    const [start, name = ''] = /^([A-Z]\d+): /.exec(line) ?? ['']
    return name === '' ? [] : [{ label: name, text: line.slice(start.length) }]
  })
}

/** The commands and calls of skills reported under `heading`, in order. */
export function findTasks(parts: readonly PromptPart[], heading: string): readonly PromptTask[] {
  const section = parts.filter((part) => part.heading === heading)
  const starts = section.flatMap((part, at) => (part.label === null && HEADLINE.test(part.text) ? [at] : []))
  return starts.map((start, index) => {
    const own = section.slice(start, starts[index + 1])
    const match = HEADLINE.exec(own[0]?.text ?? '')
    return {
      index: Number(match?.[1]) - 1,
      type: match?.[2] === 'SKILL' || match?.[2] === 'TOOL' ? match[2] : 'EXEC',
      status: match?.[3] ?? '',
      exitCode: match?.[4] === undefined ? null : Number(match[4]),
      command: findBlock(own, 'CALL') ?? findBlock(own, 'DETAIL') ?? '',
      stdout: findBlock(own, 'DATA_STDOUT') ?? '',
      stderr: findBlock(own, 'DATA_STDERR') ?? '',
    }
  })
}
