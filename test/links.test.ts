import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const chapters = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
  (name) => `docs/${name}`,
)
const pages = ['README.md', 'ARCHITECTURE.md', 'DECISIONS.md', ...chapters]

/** A page without its blocks of code, where `#` begins a comment and `](` is no link. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^( *)```[\s\S]*?^\1```/gm, '')
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    String(text)
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}

interface Link {
  text: string
  /** From the root of the repository. */
  path: string
  anchor: string | undefined
}

/** The links of a page that stay inside of the repository. */
function linksOf(page: string): Link[] {
  return [...proseOf(page).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, text = '']) => {
    const [file = '', anchor] = text.split('#')
    return { text, path: file === '' ? page : join(dirname(page), file), anchor }
  })
}

test.each(pages)('each link of %s leads to a file, and to a heading in it', (page) => {
  const leads = ({ path, anchor }: Link) =>
    existsSync(join(root, path)) &&
    (anchor === undefined || (path.endsWith('.md') && anchorsOf(path).includes(anchor)))
  const broken = linksOf(page).filter((link) => !leads(link))
  expect(broken.map(({ text }) => text)).toEqual([])
})

test.each(pages)('no heading of %s stands twice, as the second has another anchor', (page) => {
  const anchors = anchorsOf(page)
  expect(anchors.length).toBeGreaterThan(0)
  expect(anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)).toEqual([])
})

test('README leads to its worked example and to each chapter, and each chapter back to README', () => {
  const links = linksOf('README.md')
  expect(links.map(({ text }) => text)).toContain('#two-minutes-with-it')
  expect(chapters.length).toBeGreaterThan(5)
  expect(chapters.filter((chapter) => links.every(({ path }) => path !== chapter))).toEqual([])
  const isLost = (chapter: string) => linksOf(chapter).every(({ path }) => path !== 'README.md')
  expect(chapters.filter(isLost)).toEqual([])
})
