import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../running-app.ts'

let service: RunningApp

const SHY = '\u00ad'
const DOCUMENTS = {
  telugu: 'స్వాగతం అందరికీ',
  kannada: 'ವಿದ್ಯಾರ್ಥಿ ಓದುತ್ತಾನೆ',
  malayalam: 'വിദ്യാർത്ഥി പഠിക്കുന്നു',
  gujarati: 'વિદ્યાર્થી વાંચે છે',
  punjabi: 'ਵਿਦਿਆਰਥੀ ਪੜ੍ਹਦਾ ਹੈ',
  odia: 'ବିଦ୍ୟାର୍ଥୀ ପଢ଼ନ୍ତି',
  sinhala: 'ශිෂ්‍යයා කියවයි',
  thai: 'ตั๋วเครื่องบินไปกรุงเทพ 2มื้อ',
  lao: 'ພາສາລາວງາມ',
  khmer: 'សៀវភៅភាសាខ្មែរ',
  burmese: 'ကျွန်တော်မြန်မာစာဖတ်သည်',
  hindi: 'पेलियोक्लाईमेटोलॉजिस्ट जानकारी',
  greek: 'Ο ΔΡΟΜΟΣ και ο δρόμος, ένας άνθρωπος',
  german: `Der Donau${SHY}dampf${SHY}schiff${SHY}kapitän`,
}

beforeAll(async () => {
  service = await startApp()
  const settings = { analysis: { language: 'none', stopWords: ['ένας'] } }
  await service.must('POST', '/cortex/indices', { name: 'scripts', settings })
  for (const [id, title] of Object.entries(DOCUMENTS))
    await service.must('POST', '/cortex/documents', { index: 'scripts', id, document: { title } })
})
afterAll(() => service.close())

async function find(query: string, more: object = {}) {
  const body = { index: 'scripts', searchType: 'text', size: 100, highlight: true, query, ...more }
  const { hits } = await service.must<{
    hits: { id: string; highlight?: { title?: string[] } }[]
  }>('POST', '/cortex/search', body)
  return { ids: hits.map(({ id }) => id).sort(), marked: hits[0]?.highlight?.title?.[0] }
}

it.each([
  ['telugu', 'స్వాగతం', 'వాగతం'],
  ['kannada', 'ವಿದ್ಯಾರ್ಥಿ', 'ವಿದ'],
  ['malayalam', 'വിദ്യാർത്ഥി', 'വിദ'],
  ['gujarati', 'વિદ્યાર્થી', 'વિદ'],
  ['punjabi', 'ਪੜ੍ਹਦਾ', 'ਹਦਾ'],
  ['odia', 'ବିଦ୍ୟାର୍ଥୀ', 'ବିଦ'],
  ['sinhala', 'ශිෂ්‍යයා', 'ශිෂ'],
])('a word in %s is found and marked whole, not by a syllable', async (id, word, syllable) => {
  const { ids, marked } = await find(word)
  expect(ids).toEqual([id])
  expect(marked).toContain(`<em>${word}</em>`)
  expect((await find(syllable)).ids).toEqual([])
  expect((await find(syllable, { prefix: true })).ids).toHaveLength(
    word.startsWith(syllable) ? 1 : 0,
  )
})

it.each([
  ['thai', 'เครื่องบิน', 'กรุงเทพตั๋ว'],
  ['thai', 'มื้อ', 'เมือง'],
  ['lao', 'ລາວ', 'ວລາ'],
  ['khmer', 'ខ្មែរ', 'រខ្មែ'],
  ['burmese', 'မြန်မာ', 'မာမြန်'],
])('a word is found within a row of words without spaces, in %s: %s', async (id, word, none) => {
  const { ids, marked } = await find(word, { operator: 'and' })
  expect(ids).toEqual([id])
  expect(marked).toContain(`<em>${word}</em>`)
  expect((await find(`"${word}"`)).ids).toEqual([id])
  expect((await find(`${word} ไก่`)).ids).toContain(id)
  expect((await find(`"${none}"`)).ids).toEqual([])
})

it('a long word is found in scripts of which a letter takes several bytes', async () => {
  const { ids, marked } = await find('पेलियोक्लाईमेटोलॉजिस्ट')
  expect(ids).toEqual(['hindi'])
  expect(marked).toContain('<em>पेलियोक्लाईमेटोलॉजिस्ट</em>')
})

it.each(['δρομος', 'ΔΡΟΜΟΣ', 'δρομοσ', 'δρόμος', 'ΔΡΌΜΟΣ', 'ΆΝΘΡΩΠΟΣ'])(
  'capitals and small letters find each other in Greek: %s',
  async (query) => expect((await find(query)).ids).toEqual(['greek']),
)

it('old Greek is found as it is written today, and the other way round', async () => {
  const index = 'old-greek'
  await service.must('POST', '/cortex/indices', { name: index })
  for (const title of ['Ὅμηρος', 'Όμηρος', 'ῥαψῳδία'])
    await service.must('POST', '/cortex/documents', { index, document: { title } })
  const titles = async (query: string) => {
    const sent = { index, query, searchType: 'text' }
    type Found = { hits: { source: { title: string } }[] }
    const { hits } = await service.must<Found>('POST', '/cortex/search', sent)
    return hits.map(({ source }) => source.title).sort()
  }
  for (const query of ['ὅμηρος', 'ομηρος', 'Όμηρος'])
    expect(await titles(query)).toEqual(['Όμηρος', 'Ὅμηρος'])
  expect(await titles('ραψωδια')).toEqual(['ῥαψῳδία'])
})

it('a stop word may end in a sigma', async () => {
  expect((await find('ΈΝΑΣ')).ids).toEqual([])
  expect((await find('ένας')).ids).toEqual([])
})

it('a hyphen that nobody sees does not part a word', async () => {
  const { ids, marked } = await find('Donaudampfschiffkapitan')
  expect(ids).toEqual(['german'])
  expect(marked).toBe(`Der <em>${DOCUMENTS.german.slice(4)}</em>`)
  expect((await find(`Donaudampf${SHY}schiffkapitän`)).ids).toEqual(['german'])
  expect((await find('dampf')).ids).toEqual([])
})

it('words are stemmed by their script where the language is one of another', async () => {
  for (const [language, index] of [
    ['english', 'mixed'],
    ['none', 'plain'],
  ] as const) {
    await service.must('POST', '/cortex/indices', {
      name: index,
      settings: { analysis: { language } },
    })
    for (const title of ['книгами', 'المكتبات', 'βιβλίων', 'books'])
      await service.must('POST', '/cortex/documents', { index, document: { title } })
  }
  const found = async (index: string) => {
    const counts: number[] = []
    for (const query of ['книга', 'مكتبة', 'βιβλία', 'book'])
      counts.push((await find(query, { index })).ids.length)
    return counts
  }
  expect(await found('mixed')).toEqual([1, 1, 1, 1])
  expect(await found('plain')).toEqual([0, 0, 0, 0])
})
