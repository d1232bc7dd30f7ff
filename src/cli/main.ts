#!/usr/bin/env node
import { runCommand } from './program.ts'
import { openTerminal } from './terminal.ts'

const terminal = openTerminal()
process.exitCode = await runCommand(terminal, process.argv.slice(2))
terminal.close()
