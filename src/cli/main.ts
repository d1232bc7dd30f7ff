#!/usr/bin/env node
import { runCommand } from './program.ts'
import { openTerminal } from './terminal.ts'

const terminal = openTerminal()
const code = await runCommand(terminal, process.argv.slice(2))
process.exitCode ??= code
terminal.close()
