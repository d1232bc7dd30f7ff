import type { Database, Key, RootDatabase } from 'lmdb'
import { addExtension } from 'msgpackr'
import type { MetaRows } from '../schema/meta-record.ts'
import { openBlocks } from './blocks.ts'
import { type Table, wrapTable } from './table.ts'
import { type Rows, TABLES, type TableName } from './tables.ts'

/** An object with a member that is called `constructor`: msgpackr asks any object for it, to know what it is. */
const namedConstructor = {
  [Symbol.hasInstance]: (value: object) => Object.hasOwn(value, 'constructor'),
}
// Such an object is as plain as others. Without this, its member `toJSON` would be called, whatever it is.
addExtension({ Class: namedConstructor as never, write: (value: unknown) => value })

/** Tables by name; that of blocks is reached through the one whose rows lie in them. */
export type Tables = {
  readonly [Name in Exclude<TableName, 'impressionBlocks' | 'meta'>]: Table<
    Rows[Name]['key'],
    Rows[Name]['value']
  >
} & { readonly meta: MetaTable }

/** The table of which every row is another kind of value, which its name tells. */
interface MetaTable extends Omit<Table<string, unknown>, 'get'> {
  get<Name extends string>(name: Name): MetaValue<Name> | undefined
}

/** What stands under a name; unknown for one that nobody has noted. */
export type MetaValue<Name extends string> = Name extends keyof MetaRows ? MetaRows[Name] : unknown

export type Databases = Record<TableName, Database>

/** Opens every table of the environment. A reader finds only tables that exist already. */
export function openDatabases(root: RootDatabase): Databases {
  const opened: Partial<Databases> = {}
  for (const [name, { encoding }] of Object.entries(TABLES)) {
    const database: Database | undefined = root.openDB({ name, encoding })
    if (database === undefined) throw new Error(`The record store has no table ${name}.`)
    opened[name as TableName] = database
  }
  return opened as Databases
}

/** Wraps the tables; `writable` says whether a write is under way on this thread, which without it only reads. */
export function wrapTables(databases: Databases, writable?: () => boolean): Tables {
  const tables: Partial<Record<TableName, unknown>> = {}
  for (const [name, database] of Object.entries(databases))
    tables[name as TableName] = wrapTable(database as Database<unknown, Key>, writable)
  const { impressionBlocks, ...others } = tables as Tables & {
    impressionBlocks: Table<string, Uint8Array>
  }
  const impressions = openBlocks(others.impressions, impressionBlocks, writable)
  return { ...others, impressions }
}
