import { openBreath } from '../breath.ts'

/** A family that may have any number of lines; whoever has the figures writes them. */
export interface LongFamily {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram' | 'summary'
  /** Whole lines, each with its end, a few at a time. */
  lines: () => Iterable<string>
}

export interface LongFamilies {
  /** The answer takes it away again. */
  add: (family: LongFamily) => () => void
  /** All of them in Prometheus text form, in slices: there may be a hundred thousand lines. */
  page: () => Promise<Buffer[]>
}

/** Text that becomes bytes at once: long ones take their time all together. */
const PIECE_CHARACTERS = 64 << 10

export function openLongFamilies(): LongFamilies {
  const families = new Map<string, LongFamily>()
  return {
    add: (family) => {
      families.set(family.name, family)
      return () => void families.delete(family.name)
    },
    page: async () => {
      const breathe = openBreath()
      const pieces: Buffer[] = []
      let text = ''
      for (const { name, help, type, lines } of families.values()) {
        text += `\n# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
        for (const some of lines()) {
          text += some
          if (text.length < PIECE_CHARACTERS) continue
          pieces.push(Buffer.from(text))
          text = ''
          await breathe()
        }
      }
      return [...pieces, Buffer.from(text)]
    },
  }
}

/** Labels as they stand between the braces of a line. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')
}

/** One line with its end; the labels by `labelText`. */
export function lineOf(name: string, labels: string, value: number): string {
  return labels === ''
    ? `${name} ${valueText(value)}\n`
    : `${name}{${labels}} ${valueText(value)}\n`
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return `${value}`
  return value < 0 ? '-Inf' : '+Inf'
}

/** Without U+0000, which earlier versions stored: there Prometheus takes a page to end, and reads none of it. */
function escapeLabel(value: string): string {
  const shown = value.replaceAll('\0', '\ufffd')
  return shown.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
}
