/**
 * A backup as a stream: one header, then frames, each a line of JSON and as many bytes as it says, then an end without
 * which it is not whole. The rows are PostgreSQL's COPY in text form, which any version of it reads.
 */
import * as z from 'zod'
import { AppError } from '../../core/errors.ts'

const headerSchema = z.object({
  backup: z.literal(1),
  /** Of the program that wrote it. */
  version: z.string(),
  at: z.string(),
  /** Applied when it was written, in order: the schema of the rows. */
  migrations: z.array(z.string()),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
})
export type BackupHeader = z.infer<typeof headerSchema>

const frameSchema = z.union([
  z.object({ table: z.string(), bytes: z.int().nonnegative() }),
  z.object({ file: z.string(), mode: z.int(), uid: z.int(), gid: z.int(), bytes: z.int().nonnegative() }),
  z.object({ folder: z.string(), mode: z.int(), uid: z.int(), gid: z.int() }),
  z.object({ link: z.string(), to: z.string(), uid: z.int(), gid: z.int() }),
  z.object({ end: z.literal(true), rows: z.record(z.string(), z.int().nonnegative()) }),
])
export type BackupFrame = z.infer<typeof frameSchema>

const LINE_FEED = 0x0a
/** A header has the names of all tables and columns. */
const LONGEST_LINE = 1 << 20

/** A header or a frame, without its bytes. */
export function lineOf(line: BackupHeader | BackupFrame): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`)
}

/** How many rows COPY wrote: a line feed inside a value is written as "\n". */
export function rowsIn(bytes: Buffer): number {
  let rows = 0
  for (const byte of bytes) if (byte === LINE_FEED) rows += 1
  return rows
}

/**
 * Reads a stream of bytes as what it was written of. Rejects with TRANSFER_REFUSED where it is no backup, or not
 * whole.
 */
export class BackupReader {
  readonly #source: AsyncIterator<Buffer>
  #read: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async header(): Promise<BackupHeader> {
    return parse(headerSchema, await this.#line())
  }

  async frame(): Promise<BackupFrame> {
    return parse(frameSchema, await this.#line())
  }

  /** The next so many bytes, in pieces. */
  async *bytes(count: number): AsyncGenerator<Buffer, void, void> {
    let left = count
    while (left > 0) {
      if (this.#read.length === 0) await this.#more()
      const piece = this.#read.subarray(0, left)
      this.#read = this.#read.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#read.indexOf(LINE_FEED)
      if (end >= 0) {
        const line = this.#read.toString('utf8', 0, end)
        this.#read = this.#read.subarray(end + 1)
        return line
      }
      if (this.#read.length > LONGEST_LINE) throw noBackup()
      await this.#more()
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#source.next()
    if (done === true) throw new AppError('TRANSFER_REFUSED', 'The backup is not whole: it ends before its end.')
    this.#read = this.#read.length === 0 ? value : Buffer.concat([this.#read, value])
  }
}

function parse<Value>(schema: z.ZodType<Value>, line: string): Value {
  try {
    return schema.parse(JSON.parse(line))
  } catch (error) {
    throw noBackup(error)
  }
}

function noBackup(cause?: unknown): AppError {
  return new AppError('TRANSFER_REFUSED', 'This is no backup of Factotum, or one of a later version.', { cause })
}
