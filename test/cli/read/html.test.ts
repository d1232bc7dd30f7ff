import { expect, test } from 'vitest'
import { htmlText } from '../../../src/cli/read/html.ts'

test.each([
  ['<p class="warning">Deleting is <b>final</b>.</p><p>Go on</p>', 'Deleting is final.\nGo on'],
  [
    'Die Frist betr&auml;gt 14&nbsp;Tage &rarr; K&uuml;ndigen',
    'Die Frist beträgt 14 Tage → Kündigen',
  ],
  ['&#8222;Ja&#x201C; &amp; &lt;nein&gt; &unknown; &#0; R&D', '„Ja“ & <nein> &unknown; � R&D'],
  ['un<em>break</em>able<br>line\n  goes on<br/>', 'unbreakable\nline goes on'],
  ['<table><tr><td>993</td><td>IMAP</td></tr><tr><td>587</td></tr></table>', '993 IMAP\n587'],
  ['a<!-- <p>gone</p> -->b<script>let x = "</p>"</script><STYLE>p{}</STYLE >c', 'abc'],
  ['<!DOCTYPE html><?xml version="1"?><a title="1 > 0" href=\'/x?a=">"\'>link</a>', 'link'],
  ['<p>don\'t <i data-x = "it\'s > that">stop</i></p>', "don't stop"],
  ['5 < 6, a <3 b, x<y', '5 < 6, a <3 b, x'],
  ['a<!-- never closed', 'a'],
  ['<script>never closed', ''],
  ['plain', 'plain'],
])('of HTML the text is loaded that a browser shows: %s', (html, text) => {
  expect(htmlText(html)).toBe(text)
})

test('no text takes long', () => {
  const started = performance.now()
  for (const piece of ['<', '<a "', '<a b="', '<!--', '<script>', '</script', '&', '&#', '<p> '])
    htmlText(piece.repeat(200_000))
  expect(performance.now() - started).toBeLessThan(5000)
})
