const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Whether a text spells a finite number as the core reads it: in decimal, whatever white space is around it. */
export function spellsNumber(text: string): boolean {
  return DECIMAL.test(text.trim()) && Number.isFinite(Number(text))
}
