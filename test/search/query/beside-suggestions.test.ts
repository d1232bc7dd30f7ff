import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const TITLES = [
  ...['Hiking boots', 'Black T-shirt', 'Black jeans', 'Blue bottle', 'The bottle that leaks'],
  ...['Toner TN-2420', 'Coffee filters 240', 'Coffee cups 240', 'Coffee machine', 'Cover'],
  ...['Backpack', 'Black pack', 'Winter jacket', 'Summer jackets', 'Together', 'Gather round'],
]

beforeAll(async () => {
  service = await startApp()
  const documents = TITLES.map((title) => ({ document: { title } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'shop', documents })
  const other = { index: 'other', documents: documents.slice(0, 1) }
  await service.must('POST', '/cortex/documents/bulk', other)
})
afterAll(() => service.close())

async function texts(kind: 'completions' | 'corrections', body: object) {
  const found = await service.must<Record<typeof kind, { text: string }[]>>(
    'POST',
    '/cortex/suggest',
    { index: 'shop', ...body },
  )
  return found[kind].map(({ text }) => text)
}

it('a word goes on to none that stands nowhere beside those before it, where others do', async () => {
  const completed = (prefix: string) => texts('completions', { prefix })
  expect(await completed('hiking b')).toEqual(['hiking boots'])
  const all = ['black', 'bottle', 'backpack', 'blue', 'boots'].map((word) => `cover ${word}`)
  expect(await completed('cover b')).toEqual(all)
})

it('what stands beside all words before it comes first, by documents that have them, then beside some', async () => {
  const titles = [
    ...['Bluetooth spectre', 'Bluetooth speaker, black', 'Bluetooth speaker', 'Speaker stand'],
    ...['Wooden speaker', 'Bluetooth headset spare part', 'Spade', 'Spade', 'Spade'],
  ]
  const documents = titles.map((title) => ({ document: { title } }))
  await service.must('POST', '/cortex/documents/bulk', { index: 'sound', documents })
  const completed = (prefix: string) => texts('completions', { index: 'sound', prefix })
  expect(await completed('bluetooth sp')).toEqual(
    ['speaker', 'spare', 'spectre'].map((word) => `bluetooth ${word}`),
  )
  // No document has all three.
  expect(await completed('wooden headset sp')).toEqual(
    ['speaker', 'spare'].map((word) => `wooden headset ${word}`),
  )
})

it('a misspelt word before it is corrected where that leads to documents with all of them', async () => {
  const completed = (prefix: string) => texts('completions', { prefix })
  expect(await completed('hikng b')).toEqual(['hiking boots'])
  expect((await completed('the cofee ma'))[0]).toBe('the coffee machine')
  // No document has coffee and boots.
  expect((await completed('cofee b'))[0]).toMatch(/^cofee /)
})

it('stop words before it decide nothing beside others', async () => {
  expect(await texts('completions', { prefix: 'the hiking b' })).toEqual(['the hiking boots'])
  expect((await texts('completions', { prefix: 'the b' }))[0]).toBe('the bottle')
})

it('a misspelt word becomes what stands beside the others', async () => {
  const corrected = (query: string) => texts('corrections', { query })
  expect(await corrected('toner TN-2240')).toEqual(['toner TN-2420'])
  expect(await corrected('2240')).toEqual(['240', '2420'])
  expect(await corrected('cofee machne')).toEqual(['coffee machine'])
  expect(await corrected('cofee')).toEqual(['coffee', 'cover'])
  // What is nearer stays.
  expect((await corrected('summer jaket'))[0]).toBe('summer jacket')
})

it('what documents write as one word is known', async () => {
  for (const index of ['shop', ['shop', 'other']])
    expect(await texts('corrections', { index, query: 'back pack' })).toEqual([])
  expect(await texts('corrections', { query: 'blak pack' })).toContain('black pack')
  // No search joins what begins with a stop word.
  const found = await texts('corrections', { query: 'to gether' })
  expect(found).toEqual(['to gather', 'to together'])
})
