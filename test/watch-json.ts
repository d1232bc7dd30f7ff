import { onTestFinished, vi } from 'vitest'

/** Characters of the longest JSON that this thread reads or makes in one go until the test ends. */
export function watchJson(): () => number {
  const parse = vi.spyOn(JSON, 'parse')
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => {
    parse.mockRestore()
    stringify.mockRestore()
  })
  return () =>
    Math.max(
      ...parse.mock.calls.map(([text]) => text.length),
      ...stringify.mock.results.map(({ value }) => value?.length ?? 0),
    )
}
