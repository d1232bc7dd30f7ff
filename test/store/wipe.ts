import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE_BYTES = 4096

/** Fills with zeros the page of a stopped store's file in which `text` stands first, as a failing disk may give it back. */
export function wipePage(dataDir: string, text: string): void {
  const file = join(dataDir, 'records', 'data.mdb')
  const bytes = readFileSync(file)
  const at = bytes.indexOf(text)
  if (at < 0) throw new Error(`No page holds "${text}".`)
  const start = at - (at % PAGE_BYTES)
  writeFileSync(file, bytes.fill(0, start, start + PAGE_BYTES))
}
