import { MultiBar, Presets } from 'cli-progress'
import { count, duration } from './amounts.ts'
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
