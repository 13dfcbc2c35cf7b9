/** Writing a file of a backup: what is NUL in it takes no space on the disk, as in the sparse files of programs. */
import { open, type FileHandle } from 'node:fs/promises'

const NULS = Buffer.alloc(64 * 1024)

/** Rejects when there is one already. */
export async function writeNewFile(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  let length = 0
  for await (const piece of bytes)
    for (let from = 0; from < piece.length; from += NULS.length) {
      const part = piece.subarray(from, from + NULS.length)
      const isHole = part.equals(NULS.subarray(0, part.length))
      if (!isHole) await writeAt(file, part, length)
      length += part.length
    }
  await file.truncate(length)
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}
