import { expect, it } from 'vitest'
import { routes } from '../../src/api/index.ts'
import { readConfig } from '../../src/config.ts'
import { DOCS_PAGE } from '../../src/http/docs.ts'
import { describeApi } from '../../src/http/openapi.ts'
import { waitUntil } from '../wait-until.ts'
import { WIRE_MS } from './stub.ts'

/** As much of a browser's element as the page uses. */
interface FakeElement {
  tag: string
  textContent?: string
  value?: string
  dataset: Record<string, string>
  children: unknown[]
  childElementCount: number
  onclick?: () => Promise<void>
  listeners: Record<string, () => void>
  append: (...children: unknown[]) => void
  addEventListener: (name: string, listener: () => void) => void
  querySelectorAll: () => FakeElement[]
}

function openPage(pathname: string) {
  const made: FakeElement[] = []
  const named = new Map<string, FakeElement>()
  const sent: { url: string; method?: string; body?: string }[] = []
  const createElement = (tag: string): FakeElement => {
    const element: FakeElement = {
      tag,
      dataset: {},
      children: [],
      listeners: {},
      get childElementCount() {
        return element.children.filter((child) => typeof child === 'object').length
      },
      append: (...children) => element.children.push(...children),
      addEventListener: (name, listener) => {
        element.listeners[name] = listener
      },
      querySelectorAll: () => [],
    }
    made.push(element)
    return element
  }
  const getElementById = (id: string): FakeElement => {
    const element = named.get(id) ?? createElement('div')
    named.set(id, element)
    return element
  }
  const api: unknown = JSON.parse(JSON.stringify(describeApi(routes, readConfig({}))))
  const fetch = async (url: string, options: { method?: string; body?: string } = {}) => {
    sent.push({ url, ...options })
    return { status: 200, json: async () => api, text: async () => '{"success":true}' }
  }
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(DOCS_PAGE) ?? []
  new Function('document', 'location', 'fetch', script)(
    { getElementById, createElement },
    { pathname },
    fetch,
  )
  return {
    sent,
    about: getElementById('about'),
    all: (tag: string) => made.filter((one) => one.tag === tag),
  }
}

it.each(['/docs', '/api/docs'])(
  'the page at %s shows every operation and sends requests',
  async (at) => {
    const page = openPage(at)
    const ways = routes.flatMap(({ aliases = [] }) => [1, ...aliases])
    await waitUntil(() => page.all('details').length === ways.length, WIRE_MS)
    expect(page.sent[0]?.url).toBe(at.replace('docs', 'openapi.json'))
    expect(page.about.textContent).toContain('base address /api')
    for (const details of page.all('details')) details.listeners.toggle?.()
    const told = page.all('p').flatMap(({ children }) => children)
    for (const { description } of routes)
      if (description !== undefined) expect(told).toContain(description)
    expect(told.join(), 'as docs/learning.md says').toMatch(/MurmurHash3[\s\S]*0x6a09e667/)
    const fields = page.all('code').flatMap(({ children }) => children)
    expect(fields, 'also of shapes that are referred to').toContain('data.hits[].id')
    const [first] = page.all('button')
    await first?.onclick?.()
    expect(page.sent[1]).toMatchObject({ url: '/api/cortex/search', method: 'POST' })
    expect(JSON.parse(page.sent[1]?.body ?? '')).toHaveProperty('query')
    expect(page.all('pre').some(({ textContent }) => textContent?.startsWith('200 in '))).toBe(true)
  },
)
