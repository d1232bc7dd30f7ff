/**
 * What an Accept or Accept-Encoding header says of each name, in lower case: its quality, 1 when none is given
 * (RFC 9110 §12.4.2), 0 for one that is no number. Other parameters are passed over.
 */
export function qualitiesOf(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((text) => text.startsWith('q='))
    qualities.set(name, quality === undefined ? 1 : Number(quality.slice(2)) || 0)
  }
  return qualities
}
