import { expect, test } from 'vitest'
import { markdownSections } from '../../../src/cli/read/markdown.ts'
import { processorMs } from '../../processor-time.ts'

const sections = (markdown: string) =>
  markdownSections(markdown, 'file').map(({ title, text, line }) => ({ title, text, line }))
const titles = (markdown: string) => markdownSections(markdown, 'file').map(({ title }) => title)

test('each heading with text makes a section titled by its path', () => {
  const markdown = `intro

# Guide
about
## Install
run it
### On Linux

### On a Mac
brew
## Use
call it
# Other
end`
  expect(sections(markdown)).toEqual([
    { title: 'file', text: 'intro', line: 1 },
    { title: 'Guide', text: 'about', line: 3 },
    { title: 'Guide › Install', text: 'run it', line: 5 },
    { title: 'Guide › Install › On a Mac', text: 'brew', line: 9 },
    { title: 'Guide › Use', text: 'call it', line: 11 },
    { title: 'Other', text: 'end', line: 13 },
  ])
  const headings = markdownSections(markdown, 'file').map((section) => section.headings)
  expect(headings.slice(0, 3)).toEqual([[], ['Guide'], ['Guide', 'Install']])
})

test('a # inside fenced code is no heading, and the code stays as it is', () => {
  const markdown = '# A\n```sh\n# install **all**\nnpm ci\n```\nafter\n~~~~\n# b\n~~~\n# c\n~~~~\n'
  expect(sections(markdown)).toEqual([
    { title: 'A', text: expect.stringContaining('# install **all**\nnpm ci'), line: 1 },
  ])
})

test('underlined headings count, rules and table lines do not', () => {
  const markdown =
    'Title\n=====\ntext\n\nPart\n----\nmore\n\n---\n\n- a\n---\n\n| a |\n|---|\n| b |\n'
  expect(titles(markdown)).toEqual(['Title', 'Title › Part'])
})

test('marks of Markdown and HTML are taken from the text, words are kept', () => {
  const markdown = `# [The \`tool\`](https://x.example) ![badge](b.svg)
<!-- hidden -->
<p align="center">See **the** [guide](g.md) and \`code\`, or <https://y.example>.</p>

[guide]: g.md "Guide"
> quoted
`
  expect(sections(markdown)).toEqual([
    { title: 'The tool', text: 'See the guide and code, or https://y.example.\n\nquoted', line: 1 },
  ])
})

test('of what looks like the address of a link only such addresses are taken away', () => {
  const addresses = `[a]: b.md\n[b c]: <d.md> "Title"\n [e]: https://f.example 'g'\n[h]: i.md (j)  \n`
  const text = '[^1]: See the manual.\n[^2]: Ibid.\n[12:03]: hello everyone\n[Note]: "read" this'
  const found = sections(`${addresses}It pumps[^1].\n\n${text}`)
  expect(found).toEqual([{ title: 'file', text: `It pumps[^1].\n\n${text}`, line: 1 }])
})

test.each([
  ['`__proto__` and `__init__.py`', '__proto__ and __init__.py'],
  [
    '`**a**`, `<div>`, `[x](y)`, `<!-- no -->`, `&nbsp;`',
    '**a**, <div>, [x](y), <!-- no -->, &nbsp;',
  ],
  ['[`__a__`](b.md) and **`__c__`**', '__a__ and __c__'],
  ['`` a`__b__ `` and `` `__c__` ``', 'a`__b__ and `__c__`'],
  ['a <!-- `hidden --> `__shown__`', 'a  __shown__'],
  ['`one <!-- two` and <!-- three --> four', 'one <!-- two and  four'],
  ['unclosed <!-- `__a__`', 'unclosed <!-- __a__'],
  ['\\`__bold__\\`', '\\`bold\\`'],
  ['one ` only, __bold__', 'one ` only, bold'],
  ['\x000\x000 `__a__`', '\ufffd0\ufffd0 __a__'],
])('a span of code keeps its own text: %#', (markdown, text) => {
  expect(sections(markdown)).toEqual([{ title: 'file', text, line: 1 }])
})

test('front matter gives the title of what stands before the first heading', () => {
  const markdown = '---\ntitle: "The page"\ntags: [a]\n---\nwords\n\n## Part\nmore'
  expect(sections(markdown)).toEqual([
    { title: 'The page', text: 'words', line: 5 },
    { title: 'Part', text: 'more', line: 7 },
  ])
})

test('text between two rules at the beginning is no front matter', () => {
  const slides = '---\nWelcome to all of you\n\n- title: none\n---\n\n# Next\nmore\n'
  expect(sections(slides)).toEqual([
    { title: 'file', text: expect.stringContaining('Welcome to all of you'), line: 1 },
    { title: 'Next', text: 'more', line: 7 },
  ])
  for (const block of ['', '# a comment\n"quoted key": 1\n', '\nlist:\n- a\n'])
    expect(sections(`---\n${block}\n---\nwords`)).toMatchObject([{ text: 'words' }])
})

test('a file without text has no sections', () => {
  expect(markdownSections('# Only\n## Headings\n', 'file')).toEqual([])
})

test.each([
  ['headings', `# ${' #'.repeat(400)}`],
  ['spaces', `a${' '.repeat(200_000)}b`],
  ['brackets', '[a'.repeat(100_000)],
  ['images', '![a'.repeat(100_000)],
  ['links', '[a](b'.repeat(100_000)],
  ['bold words', '**a '.repeat(50_000)],
  ['comments', '<!-- '.repeat(50_000)],
  ['tags', '<a '.repeat(100_000)],
  ['code', '` '.repeat(100_000)],
  ['spans of code', `\`a \`\`b \`\`\`c ${'<!-- d '.repeat(50_000)}`],
  ['references', '[a]: '.repeat(50_000)],
  ['titles of references', `[a]: b ${'"c '.repeat(50_000)}`],
  ['references with blanks', `[a]: b${' '.repeat(200_000)}c`],
])('a line full of unclosed %s takes no noticeable time', (_, line) => {
  expect(processorMs(() => markdownSections(line, 'file'), 2)).toBeLessThan(3000)
})
