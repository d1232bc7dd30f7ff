import { fstatSync, readSync } from 'node:fs'
import { type Looking, numberAt, PAGE, problemOfTree, type TakeNode, type Tree } from './trees.ts'

/** LMDB's stamp at the start of a meta page's content, and where what follows it stands (lmdb's mdb.c, MDB_meta). */
const STAMP = Buffer.from([0xde, 0xc0, 0xef, 0xbe])
const META = { version: 4, free: 24, main: 72, lastPage: 120, transaction: 128, end: 136 }
/** Of the file's layout, as lmdb has it. */
const VERSION = 2
/** Of a tree, as a meta page and a node of a table have it (MDB_db). */
const TREE = { pageBytes: 0, depth: 6, pages: [8, 16, 24], root: 40, end: 48 }
const IS_TABLE = 2
const TRANSACTION_BYTES = 8
const PAGE_BYTES = { min: 256, max: 65_536 }
/** More than any system maps. */
const FILE_BYTES_MAX = 2 ** 47

/** The pages of a store's file as its newest commit has them, read without LMDB, which ends the process for wrong ones. */
export interface Pages {
  /** Length of the file, and the one that its header speaks of: free pages at the end need not be there. */
  bytes: number
  expected: number
  /** What is wrong with the list of free pages, or with that of tables, if anything is. To be asked before those below. */
  listsProblem: () => string | undefined
  /** By the pages that they have, least first. */
  tables: () => string[]
  /** What is wrong with a table, if anything is, as far as it was seen by a moment; `found` hears of each key. */
  tableProblem: (name: string, looking?: TableLooking) => string | undefined
  /** Whether nobody has written to it since. */
  isUnchanged: () => boolean
}

interface TableLooking extends Pick<Looking, 'untilMs'> {
  found?: (key: string) => void
}

/** Undefined where the file does not begin as a record store does. */
export function readPages(descriptor: number): Pages | undefined {
  const meta = newestMeta(descriptor)
  if (meta === undefined) return undefined
  const { size: bytes } = fstatSync(descriptor)
  const file = { descriptor, bytes, ...meta }
  const tables = new Map<string, Tree>()
  const listTable: TakeNode = ({ flags, key, value }, transaction) => {
    if (flags !== IS_TABLE || value.length !== TREE.end) return 'names something that is no table'
    tables.set(textOf(key), treeIn(value, transaction))
    return undefined
  }
  return {
    bytes,
    expected: (meta.lastPage + 1) * meta.pageBytes,
    listsProblem: () =>
      problemOfTree(file, meta.free, { take: isTransaction }) ??
      problemOfTree(file, meta.main, { take: listTable }),
    tables: () =>
      [...tables].sort(([, one], [, other]) => one.pages - other.pages).map(([name]) => name),
    tableProblem: (name, { found, ...looking } = {}) => {
      const tree = tables.get(name)
      const take: TakeNode | undefined = found && (({ key }) => void found(textOf(key)))
      return tree && problemOfTree(file, tree, { ...looking, take })
    },
    isUnchanged: () => newestMeta(descriptor)?.transaction === meta.transaction,
  }
}

/** Pages are free by the transaction that no longer wanted them. */
const isTransaction: TakeNode = ({ key }) =>
  key.length === TRANSACTION_BYTES ? undefined : 'lists free pages under no transaction'

/** Names of tables end with a zero. */
function textOf(key: Buffer): string {
  return key.toString().replace(/\0$/, '')
}

interface Meta {
  pageBytes: number
  lastPage: number
  transaction: number
  free: Tree
  main: Tree
}

function newestMeta(descriptor: number): Meta | undefined {
  const first = readMeta(descriptor, 0)
  const second = first && readMeta(descriptor, first.pageBytes)
  if (first === undefined || second === undefined) return undefined
  return second.transaction > first.transaction ? second : first
}

/** Undefined where there is none. */
function readMeta(descriptor: number, offset: number): Meta | undefined {
  const page = Buffer.alloc(PAGE.end + META.end)
  readSync(descriptor, page, 0, page.length, offset)
  const content = page.subarray(PAGE.end)
  const transaction = numberAt(content, META.transaction)
  const meta = {
    pageBytes: content.readUInt32LE(META.free + TREE.pageBytes),
    lastPage: numberAt(content, META.lastPage),
    transaction,
    free: treeIn(content.subarray(META.free), transaction),
    main: treeIn(content.subarray(META.main), transaction),
  }
  const isMeta =
    content.subarray(0, STAMP.length).equals(STAMP) &&
    content.readUInt16LE(META.version) === VERSION &&
    isPageSize(meta.pageBytes) &&
    meta.lastPage * meta.pageBytes < FILE_BYTES_MAX
  return isMeta ? meta : undefined
}

function isPageSize(bytes: number): boolean {
  return bytes >= PAGE_BYTES.min && bytes <= PAGE_BYTES.max && Number.isInteger(Math.log2(bytes))
}

function treeIn(bytes: Buffer, transaction: number): Tree {
  return {
    root: numberAt(bytes, TREE.root),
    depth: bytes.readUInt16LE(TREE.depth),
    pages: TREE.pages.reduce((sum, at) => sum + numberAt(bytes, at), 0),
    transaction,
  }
}
