import type { Terminal } from '../../src/cli/terminal.ts'

/** A terminal that keeps what was written. */
export interface Recorder extends Terminal {
  out: string[]
  notes: string[]
  stop: AbortController
}

export function openRecorder(env: Record<string, string> = {}): Recorder {
  const out: string[] = []
  const notes: string[] = []
  const stop = new AbortController()
  return {
    out,
    notes,
    stop,
    print: (line) => void out.push(line),
    note: (line) => void notes.push(line),
    interactive: false,
    bars: false,
    columns: 80,
    env,
    signal: stop.signal,
  }
}
