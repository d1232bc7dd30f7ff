/** Lays rows out in columns: numbers to the right, everything else to the left. The first row is the heading. */
export function formatTable(rows: (string | number)[][]): string {
  const text = rows.map((row) => row.map((cell) => String(cell)))
  const widths = (text[0] ?? []).map((_, column) =>
    Math.max(...text.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: string[], index: number) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return typeof rows[index]?.[column] === 'number' ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd()
  const [heading = '', ...body] = text.map(line)
  return [heading, widths.map((width) => '-'.repeat(width)).join('  '), ...body].join('\n')
}

/** A figure with a sensible number of digits. */
export function round(value: number): number {
  if (value >= 100) return Math.round(value)
  return Math.round(value * (value >= 10 ? 10 : 1000)) / (value >= 10 ? 10 : 1000)
}
