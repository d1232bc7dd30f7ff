import { readSync } from 'node:fs'

/** Where things stand in pages (lmdb's mdb.c): in their headers, their nodes, and the notes of values with pages of their own. */
export const PAGE = { number: 0, transaction: 8, flags: 18, lower: 20, end: 24 }
const NODE = { low: 0, high: 2, flags: 4, keyBytes: 6, key: 8 }
const LONG = { page: 0, pages: 16, end: 24 }
const [BRANCH, LEAF, OVERFLOW, KINDS] = [1, 2, 4, 15]
const IS_LONG = 1
const FIRST_PAGE = 2
/** As many levels as LMDB's cursors have. */
const DEPTH_MAX = 32
/** Numbers take eight bytes, of which the last two are never needed. */
const NUMBER_BYTES = 6
const NO_PAGE = 2 ** 48 - 1

/** Where a tree begins, how many pages lie one above the other, and the newest transaction that may have written it. */
export interface Tree {
  root: number
  depth: number
  /** How many pages it has, as far as it says. */
  pages: number
  transaction: number
}

/** What stands under a key; of a value with pages of its own, the note that leads to them. */
export interface Node {
  key: Buffer
  value: Buffer
  flags: number
}

/** Answers what is wrong with a node of a page that this transaction wrote, if anything is. */
export type TakeNode = (node: Node, transaction: number) => string | undefined

export interface Looking {
  take?: TakeNode | undefined
  untilMs?: number
}

export interface TreeFile {
  descriptor: number
  bytes: number
  pageBytes: number
  lastPage: number
}

/** Goes through a tree, not after a moment of `performance.now()`, and answers what it meets first that is wrong, or undefined. */
export function problemOfTree(
  file: TreeFile,
  tree: Tree,
  { take = () => undefined, untilMs = Number.POSITIVE_INFINITY }: Looking = {},
): string | undefined {
  if (tree.root === NO_PAGE) return undefined
  if (tree.depth > DEPTH_MAX) return 'has more levels than there can be'
  const header = Buffer.alloc(PAGE.end)
  /** One for each level: a page is looked at again when those below it are done. */
  const buffers: Buffer[] = []

  function visit(page: number, level: number, newest: number): string | undefined {
    if (performance.now() > untilMs) return undefined
    buffers[level] ??= Buffer.alloc(file.pageBytes)
    const bytes = buffers[level]
    const kind = level < tree.depth ? BRANCH : LEAF
    const problem = readPage(file, bytes, { page, pages: 1, kind, newest })
    if (problem !== undefined) return problem
    const transaction = numberAt(bytes, PAGE.transaction)
    const end = Math.min(bytes.length, PAGE.end + bytes.readUInt16LE(PAGE.lower))
    for (let at = PAGE.end; at < end; at += 2) {
      const node = nodeAt(bytes, PAGE.end + bytes.readUInt16LE(at), kind)
      if (node === undefined) return `has a page ${page} that points beyond itself`
      const below =
        typeof node === 'number'
          ? visit(node, level + 1, transaction)
          : (visitLong(node, transaction) ?? take(node, transaction))
      if (below !== undefined) return below
    }
    return undefined
  }

  function visitLong({ flags, value }: Node, newest: number): string | undefined {
    if (flags !== IS_LONG) return undefined
    const [page, pages] = [numberAt(value, LONG.page), numberAt(value, LONG.pages)]
    return readPage(file, header, { page, pages, kind: OVERFLOW, newest })
  }

  return visit(tree.root, 1, tree.transaction)
}

interface Expected {
  page: number
  pages: number
  kind: number
  /** What is written later is of another moment: as long as something leads to a page, nobody writes over it. */
  newest: number
}

/** Reads the beginning of a page, or all of it; answers why it is not the one that is meant. */
function readPage(file: TreeFile, into: Buffer, expected: Expected): string | undefined {
  const { page, pages, kind, newest } = expected
  if (page < FIRST_PAGE || page + pages - 1 > file.lastPage)
    return `leads to a page ${page}, which there is not`
  if ((page + pages) * file.pageBytes > file.bytes)
    return `lacks page ${page}: the file ends before`
  readSync(file.descriptor, into, 0, into.length, page * file.pageBytes)
  const isMeant =
    numberAt(into, PAGE.number) === page && (into.readUInt16LE(PAGE.flags) & KINDS) === kind
  if (!isMeant) return `has something else in place of page ${page}`
  return numberAt(into, PAGE.transaction) > newest ? `has a later page ${page}` : undefined
}

/** A node of a leaf, or the number of the page below a branch; undefined where it can't be there. */
function nodeAt(bytes: Buffer, start: number, kind: number): Node | number | undefined {
  const keyStart = start + NODE.key
  if (keyStart > bytes.length) return undefined
  // It has no flags, but two more bytes of its number.
  if (kind === BRANCH) return numberAt(bytes, start + NODE.low)
  const flags = bytes.readUInt16LE(start + NODE.flags)
  const length =
    flags === IS_LONG
      ? LONG.end
      : bytes.readUInt16LE(start + NODE.low) + bytes.readUInt16LE(start + NODE.high) * 2 ** 16
  const keyEnd = keyStart + bytes.readUInt16LE(start + NODE.keyBytes)
  if (keyEnd + length > bytes.length) return undefined
  return {
    flags,
    key: bytes.subarray(keyStart, keyEnd),
    value: bytes.subarray(keyEnd, keyEnd + length),
  }
}

export function numberAt(bytes: Buffer, at: number): number {
  return bytes.readUIntLE(at, NUMBER_BYTES)
}
