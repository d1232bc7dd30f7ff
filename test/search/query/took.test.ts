import { expect, it, onTestFinished, vi } from 'vitest'
import { startApp } from '../../running-app.ts'
import { waitUntil } from '../../wait-until.ts'

it.each([-60_000, 60_000])(
  'times are right when the clock was set since the start (%i ms)',
  async (ms) => {
    vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(performance.timeOrigin + ms)
    onTestFinished(() => void vi.restoreAllMocks())
    const service = await startApp()
    onTestFinished(() => service.close())
    await service.call('POST', '/cortex/documents', { index: 'took', document: { title: 'word' } })
    const startedMs = Date.now()
    const searches = Array.from({ length: 50 }, async () => {
      const asked = { index: 'took', query: 'word '.repeat(800) }
      return (await service.call<Found>('POST', '/cortex/search', asked)).data
    })
    const found = await Promise.all(searches)
    const took = Math.max(...found.map((each) => each.took))
    expect(took).toBeGreaterThan(0)
    expect(took).toBeLessThan(40_000)

    const { queryId } = found[0]?.searchContext ?? {}
    const shown = () => service.call<Shown>('GET', `/nous/learn/searches/${queryId}`)
    await waitUntil(async () => (await shown()).status === 200, 1000)
    const timeMs = Date.parse((await shown()).data.timestamp)
    expect(timeMs).toBeGreaterThanOrEqual(startedMs - 1000)
    expect(timeMs).toBeLessThanOrEqual(Date.now() + 1000)
  },
)

interface Found {
  took: number
  searchContext: { queryId: string }
}
interface Shown {
  timestamp: string
}
