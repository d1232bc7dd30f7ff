import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from '../src/config.ts'

const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

function settingRow(setting: (typeof SETTINGS)[keyof typeof SETTINGS]): string {
  const { env, kind, fallback, about } = setting
  const words = 'fallbackAbout' in setting ? setting.fallbackAbout : undefined
  const byDefault = words ?? (fallback === '' ? 'empty' : `\`${fallback}\``)
  const bounds = 'min' in setting ? `${setting.min}–${setting.max}` : kind
  const takes = typeof bounds === 'object' ? bounds.oneOf.join(' · ') : bounds
  return `| \`${env}\` | ${byDefault} | ${takes} | ${about} |`
}

test('the settings table is the settings of the server', () => {
  const rows = Object.values(SETTINGS).map(settingRow)
  const table = ['| variable | default | takes | |', '|---|---|---|---|', ...rows].join('\n')
  const [, shown] = /## Settings[\s\S]*?\n(\| variable[\s\S]*?)\n\n/.exec(readme) ?? []
  expect(shown).toBe(table)
})

test('each script that is named exists', () => {
  const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(3)
  for (const name of named) expect(scripts, String(name)).toHaveProperty([String(name)])
})

test('each link inside the repository leads somewhere', () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => String(path))
  for (const path of links) expect(() => statSync(join(root, path))).not.toThrow()
})
