import { Command, CommanderError, Help, Option } from 'commander'
import { packageVersion } from '../package.ts'
import { DEFAULT_URL } from './client.ts'
import { demo } from './demo.ts'
import { EXAMPLES } from './examples.ts'
import { DEMO_PEOPLE_MIN, demoLearning } from './learning/demo.ts'
import { type LoadOptions, load } from './load.ts'
import { appended, mapped, wholeFrom } from './option-values.ts'
import { READABLE } from './read/files.ts'
import { mappingOf } from './read/record.ts'
import { search } from './search.ts'
import { LASTS, serve, serverEnvironment, settingOptions, supervise } from './serve.ts'
import { status } from './status.ts'
import { CommandError, type Terminal } from './terminal.ts'
import { unknownCommand } from './unknown-command.ts'

/**
 * Runs one command line and answers the exit code: 0 done, 1 failed or something refused, 130 stopped; of a server, the
 * server's own.
 */
export async function runCommand(terminal: Terminal, args: readonly string[]): Promise<number> {
  let code = 0
  const program = createProgram(terminal, (result) => {
    code = result
  })
  try {
    const unknown = unknownCommand(
      args,
      program.commands.map((command) => command.name()),
    )
    if (unknown !== undefined) program.error(unknown)
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    if (error instanceof CommandError) terminal.note(error.message)
    if (terminal.signal.aborted) return 130
    if (error instanceof CommandError) return 1
    throw error
  }
}

function createProgram(terminal: Terminal, end: (code: number) => void): Command {
  const program = new Command('attune')
    .description('A search server that learns from the people who search with it.')
    .version(packageVersion(), '-V, --version', 'say which release this is')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    })
    .configureHelp({ optionDescription })
    .showHelpAfterError('(--help shows what there is, with examples)')
    .addHelpText('after', EXAMPLES.all)
  addServe(program, terminal, end)
  addLoad(program, terminal, end)
  addSearch(program, terminal)
  addStatus(program, terminal, end)
  addDemo(program, terminal, end)
  return program
}

/** A switch is off, and a list empty, until it is named, which goes without saying. */
function optionDescription(option: Option): string {
  return new Help().optionDescription(option).replace(/ \(default: (false|\[\])\)/, '')
}

function addServe(program: Command, terminal: Terminal, end: (code: number) => void): void {
  const command = program
    .command('serve')
    .description('start the server (options win over the environment)')
    .option('--supervise', 'start it again when it ends by itself with a failure', false)
  for (const [flag, about] of settingOptions()) command.option(flag, about)
  // A supervisor starts what ends with another failure again, and an option that is none stays wrong.
  command.exitOverride(({ exitCode, code, message }) => {
    throw new CommanderError(exitCode === 0 ? 0 : LASTS, code, message)
  })
  command.addHelpText('after', EXAMPLES.serve).action(async (options: Record<string, unknown>) => {
    const environment = serverEnvironment(options)
    if (options.supervise === true) end(await supervise(terminal, environment))
    else await serve(environment)
  })
}

/** What the options of `load` are before the fields that two of them name make a mapping. */
interface LoadFlags extends Omit<LoadOptions, 'mapping' | 'folder' | 'stateFolder'> {
  idField?: string
  map: ReadonlyMap<string, string>
  html: string[]
}

function addLoad(program: Command, terminal: Terminal, end: (code: number) => void): void {
  program
    .command('load')
    .description(`load files and folders (${READABLE})`)
    .argument('<path...>', 'files, or folders to search for files')
    .addOption(urlOption(terminal))
    .option('-i, --index <name>', "index to load into (the server's default index)")
    .option('--id-field <name>', 'field that holds the id (id or _id)')
    .addOption(
      new Option('--map <from=to>', 'field of the files → field of the documents; repeatable')
        .argParser(mapped)
        .default(new Map(), 'none'),
    )
    .option(
      '--html <name>',
      'field of the files with HTML, of which the text is loaded; repeatable',
      appended,
      [],
    )
    .option(
      '--keep-strings',
      'CSV: leave cells of no mapped field that look like numbers as text',
      false,
    )
    .option('--batch <n>', 'documents in one request', wholeFrom(1), 500)
    .option('--concurrency <n>', 'requests under way at once', wholeFrom(1), 4)
    .option('--resume', 'go on where the same load was stopped', false)
    .option('--dry-run', 'read everything, show the first documents, send nothing', false)
    .addHelpText('after', EXAMPLES.load)
    .action(async (paths: string[], flags: LoadFlags) => {
      const { idField, map, html, ...rest } = flags
      const named = mappingOf(map, idField, rest.index)
      const unmet = new Set([...named.rename.keys(), ...html])
      const mapping = { ...named, html: new Set(html), unmet }
      const folders = { folder: process.cwd(), stateFolder: process.cwd() }
      const report = await load(terminal, paths, { ...rest, ...key(terminal), ...folders, mapping })
      end(report.refused > 0 ? 1 : 0)
    })
}

interface SearchFlags {
  url: string
  mode: string
  index?: string[]
  size: number
  filter: string[]
  json: boolean
}

function addSearch(program: Command, terminal: Terminal): void {
  const command = program.command('search')
  // It takes every word behind it, so that a query there seems to be missing.
  const outputError = (text: string, write: (text: string) => void) =>
    write(command.getOptionValue('index') === undefined ? text : withOrder(text))
  command
    .configureOutput({ outputError })
    .description('search and print the hits')
    .argument('<query...>', 'what to look for; "" finds everything')
    .addOption(urlOption(terminal))
    .addOption(
      new Option('-m, --mode <mode>', 'by words, by meaning, or by both')
        .choices(['text', 'vector', 'hybrid'])
        .default('hybrid'),
    )
    .option(
      '-i, --index <name...>',
      'index or indices to search (all); behind the query, or it is one of them',
    )
    .option('-n, --size <n>', 'hits to print', wholeFrom(0), 10)
    .option('-f, --filter <condition>', FILTER_HELP, appended, [])
    .option('--json', 'print the answer as JSON', false)
    .addHelpText('after', EXAMPLES.search)
    .action((words: string[], { filter, ...flags }: SearchFlags) =>
      search(terminal, words.join(' '), { ...flags, ...key(terminal), filters: filter }),
    )
}

function withOrder(text: string): string {
  return /missing required argument/.test(text)
    ? `${text.trimEnd()}; it stands before --index, as in: attune search "a query" --index docs\n`
    : text
}

function addStatus(program: Command, terminal: Terminal, end: (code: number) => void): void {
  program
    .command('status')
    .description('health of the server and its indices; fails when something is down')
    .addOption(urlOption(terminal))
    .option('--json', 'print everything as JSON', false)
    .addHelpText('after', EXAMPLES.status)
    .action(async (flags: { url: string; json: boolean }) =>
      end((await status(terminal, { ...flags, ...key(terminal) })) ? 0 : 1),
    )
}

interface DemoFlags {
  learning: boolean
  size: number
  people: number
}

function addDemo(program: Command, terminal: Terminal, end: (code: number) => void): void {
  program
    .command('demo')
    .description(
      'load the documentation of the installed packages into a temporary server and search it',
    )
    .option('--learning', 'show how it learns instead; fails when a step goes another way', false)
    .option('--size <n>', 'hits shown for each search', wholeFrom(1), 3)
    .addOption(
      new Option('--people <n>', 'simulated people of a step of --learning')
        .argParser(wholeFrom(DEMO_PEOPLE_MIN))
        .default(300)
        .implies({ learning: true }),
    )
    .addHelpText('after', EXAMPLES.demo)
    .action(async ({ learning, ...flags }: DemoFlags) => {
      if (learning) end((await demoLearning(terminal, flags)) ? 0 : 1)
      else await demo(terminal, flags)
    })
}

function urlOption(terminal: Terminal): Option {
  const url = terminal.env.ATTUNE_URL || DEFAULT_URL
  return new Option('--url <address>', 'address of the server (ATTUNE_URL)').default(url)
}

function key({ env }: Terminal): { key?: string } {
  return env.ATTUNE_KEY ? { key: env.ATTUNE_KEY } : {}
}

const FILTER_HELP =
  'field=value, != > >= < <=; repeatable: all must hold, of one field with = any; ' +
  '"1.10" in double quotes stays text, and a date is 2025-01-31'
