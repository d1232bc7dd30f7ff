import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE_BYTES = 4096

/** Fills with zeros the pages of a stopped store's file in which `text` stands, as a failing disk may give them back. */
export function wipePages(dataDir: string, text: string): void {
  const file = join(dataDir, 'records', 'data.mdb')
  const bytes = readFileSync(file)
  let at = bytes.indexOf(text)
  if (at < 0) throw new Error(`No page holds "${text}".`)
  for (; at >= 0; at = bytes.indexOf(text, at)) {
    const start = at - (at % PAGE_BYTES)
    bytes.fill(0, start, start + PAGE_BYTES)
  }
  writeFileSync(file, bytes)
}
