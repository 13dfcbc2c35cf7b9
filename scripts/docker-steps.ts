/** The steps of a Dockerfile, in order: comments left out, lines that go on joined. */

export interface DockerStep {
  readonly instruction: string
  readonly value: string
}

export function dockerSteps(text: string): DockerStep[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [instruction = ''] = line.split(' ', 1)
      return { instruction, value: line.slice(instruction.length + 1).trim() }
    })
}
