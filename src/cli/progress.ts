import { MultiBar, Presets } from 'cli-progress'
import type { Terminal } from './terminal.ts'

const LINE_EVERY_MS = 3000

/** Shows how a load goes: a bar with rate and time left on a terminal, else a line every few seconds. */
export interface Progress {
  /** Bytes of the files taken so far and documents settled so far. */
  update: (bytes: number, documents: number) => void
  /** A line that stays, above the bar. */
  note: (line: string) => void
  stop: () => void
}

/** Opens the display for a load of `totalBytes`. */
export function openProgress(terminal: Terminal, totalBytes: number): Progress {
  return terminal.bars ? openBar(totalBytes) : openLines(terminal, totalBytes)
}

function openBar(totalBytes: number): Progress {
  const bars = new MultiBar(
    {
      format: ' {bar} {percentage} % · {documents} documents · {rate}/s · {left} left',
      hideCursor: true,
      clearOnComplete: true,
      stopOnComplete: false,
      fps: 8,
      stream: process.stderr,
    },
    Presets.shades_classic,
  )
  const started = performance.now()
  const bar = bars.create(Math.max(1, totalBytes), 0, { documents: '0', rate: '0', left: '?' })
  return {
    update: (bytes, documents) => {
      const { rate, left } = estimate(started, bytes, totalBytes, documents)
      bar.update(Math.min(bytes, totalBytes), { documents: count(documents), rate, left })
    },
    note: (line) => bars.log(`${line}\n`),
    stop: () => bars.stop(),
  }
}

function openLines(terminal: Terminal, totalBytes: number): Progress {
  const started = performance.now()
  let printed = started
  return {
    update: (bytes, documents) => {
      const now = performance.now()
      if (now - printed < LINE_EVERY_MS) return
      printed = now
      const { percent, rate, left } = estimate(started, bytes, totalBytes, documents)
      terminal.note(`${percent} % · ${count(documents)} documents · ${rate}/s · ${left} left`)
    },
    note: terminal.note,
    stop: () => undefined,
  }
}

function estimate(started: number, bytes: number, totalBytes: number, documents: number) {
  const seconds = Math.max(0.001, (performance.now() - started) / 1000)
  const share = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes)
  const left = share === 0 ? undefined : (seconds / share) * (1 - share)
  return {
    percent: Math.floor(share * 100),
    rate: count(Math.round(documents / seconds)),
    left: left === undefined ? '?' : duration(left),
  }
}

/** A count with thousands separated: 12,345. */
export function count(number: number): string {
  return number.toLocaleString('en-US')
}

/** A count and its noun: "1 file", "3 files". */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** Seconds as people say them: 0.4 s, 12 s, 3 min 20 s, 2 h 5 min. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

/** Bytes as people say them: 512 B, 12.5 KiB, 3.1 GiB. */
export function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
