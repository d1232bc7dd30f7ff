import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { mistypedSettings, readConfig } from '../src/config.ts'
import { SETTINGS } from '../src/settings.ts'
import { temporaryFolder } from './temporary-folder.ts'

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
})
describe('the file named by CONFIG', () => {
  const read = (text: string): unknown => {
    const file = join(folder, 'attune.json')
    writeFileSync(file, text)
    return readConfig({ CONFIG: file })
  }

  it('gives the settings that the environment does not', () => {
    expect(read('{"PORT":4000}')).toMatchObject({ port: 4000, host: '127.0.0.1' })
  })

  it('is named when it does not exist, and when it is a folder', () => {
    const file = join(folder, 'none.json')
    expect(() => readConfig({ CONFIG: file })).toThrow(
      `The file ${file}, named by CONFIG, does not exist.`,
    )
    expect(() => readConfig({ CONFIG: folder })).toThrow(
      `The file ${folder}, named by CONFIG, can't be read (EISDIR).`,
    )
  })

  it.each([
    ['{"PORT": 3000 "HOST": "a"}', 'line 1, column 15'],
    ['{\n  "PORT": 3000,\n  "API_KEYS": "größe" hunter2\n}', 'line 3, column 23'],
    ['', 'line 1, column 1'],
  ])('is named with the place where it stops being JSON, and not quoted: %j', (text, place) => {
    expect(() => read(text)).toThrow(
      `The file ${join(folder, 'attune.json')}, named by CONFIG, is not valid JSON at ${place}.`,
    )
  })

  it('may begin with a byte order mark', () => {
    expect(read('\uFEFF{"PORT":4000}')).toMatchObject({ port: 4000 })
    expect(() => read('\uFEFF{"PORT" 4000}')).toThrow('is not valid JSON at line 1, column 9.')
  })

  it('says by null what it does not say at all', () => {
    expect(read('{"DATA_DIR":null,"PORT":null}')).toEqual(readConfig({}))
  })

  it('may hold a list where the variable takes one with commas', () => {
    const lists = '{"CORS":["https://a.example","https://b.example"],"API_KEYS":["k1","k2"]}'
    expect(read(lists)).toMatchObject({
      cors: 'https://a.example,https://b.example',
      apiKeys: 'k1,k2',
    })
  })

  it.each([
    ['{"DATA_DIR":["x"]}', 'DATA_DIR in the CONFIG file must be a text in quotes.'],
    ['{"PORT":[3000]}', 'PORT must be a whole number from 0 to 65535, not [3000].'],
    ['{"LEARNING":[true]}', 'LEARNING must be true or false, not [true].'],
    ['{"HOST":{"name":"a"}}', 'HOST in the CONFIG file must be a text in quotes.'],
    [
      '{"API_KEYS":["k1",{"k":2}]}',
      'API_KEYS in the CONFIG file must be a text in quotes, or a list of texts.',
    ],
    [
      '{"GAINS":{"click":0.2}}',
      'GAINS in the CONFIG file must be a text in quotes, or a list of texts.',
    ],
  ])('holds no lists and objects elsewhere: %s', (text, sentence) => {
    expect(() => read(text)).toThrow(sentence)
  })

  it('takes nothing else for keys: neither null nor an empty list leaves the service open', () => {
    for (const sent of ['[]', '[""]', '{}', 'null', 'true', '7', '[7]'])
      expect(() => read(`{"API_KEYS":${sent}}`)).toThrow(
        new Error('API_KEYS in the CONFIG file must be a text in quotes, or a list of texts.'),
      )
    expect(() => read('{"API_KEYS":" "}')).toThrow('at least one; without any, leave it empty.')
    expect(read('{"API_KEYS":""}')).toMatchObject({ apiKeys: '' })
  })

  it('is named when it holds something else than settings', () => {
    expect(() => read('[]')).toThrow(/attune\.json, named by CONFIG, must hold one JSON object/)
  })
})

it('a name in the file that is none is refused with the one that was most likely meant', () => {
  const file = join(folder, 'attune.json')
  const read = (name: string) => () => {
    writeFileSync(file, JSON.stringify({ [name]: '1' }))
    readConfig({ CONFIG: file })
  }
  expect(read('PROT')).toThrow(/^PROT in the CONFIG file is not a setting; PORT is\.$/)
  expect(read('port')).toThrow('port in the CONFIG file is not a setting; PORT is.')
  expect(read('COLOUR')).toThrow('COLOUR in the CONFIG file is not a setting; see docs/settings.md')
})

describe('the environment, which is everybody’s', () => {
  it.each([
    ['API_KEY', 'API_KEYS'],
    ['DATADIR', 'DATA_DIR'],
    ['log_level', 'LOG_LEVEL'],
    ['ATTUNE_PORT', 'PORT'],
    ['ATTUNE_API_KEYS', 'API_KEYS'],
    ['ATTUNE_API_KEY', 'API_KEYS'],
    ['ATTUNE_LERNING', 'LEARNING'],
  ])('may hold a mistyped setting: %s', (variable, meant) => {
    expect(mistypedSettings({ [variable]: 'hunter2' })).toEqual([
      { variable, sentence: `${variable} is set, but is not a setting; ${meant} is` },
    ])
  })

  it('is left alone otherwise', () => {
    const others = {
      ...{ PORT: '1', CONFIG: 'x', ATTUNE_URL: 'x', ATTUNE_KEY: 'x', HOME: '/', POST: '1' },
      ...{ HOSTNAME: 'a', SHELL: 'a', LANG: 'C', NODE_OPTIONS: 'a', ATTUNE_SERVICE_HOST: 'a' },
      ...{ ATTUNE_PORT: 'tcp://10.0.0.1:3000', EDITOR: 'vi', ATTUNE_HOME: '/opt' },
      ...{ ATTUNE_PORT_3000_TCP: 'tcp://10.0.0.1:3000', ATTUNE_PORT_3000_TCP_PORT: '3000' },
      ...{ ATTUNE_PORT_3000_TCP_PROTO: 'tcp', ATTUNE_PORT_3000_TCP_ADDR: '10.0.0.1' },
      ...{ ATTUNE_SERVICE_PORT: '3000', ATTUNE_SERVICE_PORT_HTTP: '3000' },
    }
    expect(mistypedSettings(others)).toEqual([])
  })
})

it('an IPv6 host may stand in brackets, as in an address', () => {
  expect(readConfig({ HOST: '[::1]' }).host).toBe('::1')
  expect(readConfig({ HOST: '::1' }).host).toBe('::1')
})

describe('an embedder of its own', () => {
  it('needs an address', () => {
    expect(() => readConfig({ EMBEDDER: 'http' })).toThrow(/^EMBEDDER=http needs EMBEDDER_URL/)
    const settings = { EMBEDDER: 'http', EMBEDDER_URL: 'https://embed.example/v1/embeddings' }
    expect(readConfig(settings)).toMatchObject({ embedder: 'http' })
  })

  it.each(['embed.example/v1', 'localhost:8080/v1', 'file:///etc/passwd'])(
    'is not at %s',
    (url) => {
      const settings = { EMBEDDER: 'http', EMBEDDER_URL: url }
      expect(() => readConfig(settings)).toThrow(
        /^EMBEDDER_URL must be an address that begins with/,
      )
    },
  )
})

describe('origins that browsers may call from', () => {
  it.each([
    '*',
    'https://a.example',
    'http://localhost:8080, https://b.example',
    'http://[::1]:3000',
    'chrome-extension://abcdef',
    'https://a.example:4430,http://a.example:443,https://b.example:80,http://b.example:8000',
  ])('may be %s', (origins) => {
    expect(readConfig({ CORS: origins })).toMatchObject({ cors: origins })
  })

  it.each([
    'abc',
    'a.example',
    'https://a.example/',
    'https://a.example/app',
    'https://A.example',
    'https://a.example,',
    'https://a.example https://b.example',
    'https://a.example,*',
    'https://',
    'null',
    'https://a.example:443',
    'http://a.example:80, https://b.example',
    'https://b.example, https://[::1]:443',
    'https://a.example:',
    'https://a.example:80:80',
  ])('are not %s, and the refusal says what they may be', (origins) => {
    expect(() => readConfig({ CORS: origins })).toThrow(
      `CORS must be * or a comma list of origins as browsers send them, without :443 of https or :80 of http, like https://a.example or http://localhost:8080, not "${origins}".`,
    )
  })
})

it('keys that are none do not leave the service open', () => {
  for (const blank of [' ', '\n', '\t '])
    expect(() => readConfig({ API_KEYS: blank })).toThrow(
      'at least one; without any, leave it empty',
    )
  expect(readConfig({ API_KEYS: '' }).apiKeys).toBe('')
  expect(() => readConfig({ API_KEYS: ' , ' })).toThrow(
    'API_KEYS must be a comma list of keys, each in one line and with a character of ASCII at its end, at least one.',
  )
})

it('a key for the embedder that no header can carry is refused, and not shown', () => {
  for (const key of ['one\ntwo', 'nul\0', 'ключ', 'zero\u200bwidth'])
    expect(() => readConfig({ EMBEDDER_KEY: key })).toThrow(
      'EMBEDDER_KEY must be one line of ASCII, or Latin-1, as a header carries no other characters.',
    )
  for (const key of ['sk-1', ' sk-1\n', 'a b', 'café'])
    expect(readConfig({ EMBEDDER_KEY: key }).embedderKey).toBe(key.trim())
})

it('keys that no request can carry do not leave everybody outside', () => {
  for (const key of ['one\ntwo', 'one,two\r\nthree', 'nul\0', 'café', 'a,schlüssé ,b'])
    expect(() => readConfig({ API_KEYS: key })).toThrow('API_KEYS must be')
  expect(() => readConfig({ API_KEYS: 'café' })).not.toThrow('caf')
  for (const key of [
    'one',
    ' one , two ',
    'one,',
    ',one',
    'a b,"q",~!+-/=',
    'schlüssel',
    'tab\tin',
  ])
    expect(readConfig({ API_KEYS: key }).apiKeys).toBe(key.trim())
})

describe('a refused setting shows what was sent', () => {
  it.each([
    [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535, not "abc".'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, not "70000".'],
    [{ RERANK_SIZE: '1.5' }, 'RERANK_SIZE must be a whole number from 1 to 1000, not "1.5".'],
    [{ EXAMINATION_ETA: 'two' }, 'EXAMINATION_ETA must be a number from 0 to 5, not "two".'],
    [{ LEARNING: 'maybe\n' }, 'LEARNING must be true or false, not "maybe\\n".'],
    [{ QUANTILES: 'of"f' }, 'QUANTILES must be one of inline, family, off, not "of\\"f".'],
  ])('%j', (env, message) => {
    expect(() => readConfig(env)).toThrow(new Error(message))
  })

  it('shortened, and from a file, too', () => {
    const long = 'x'.repeat(1000)
    expect(() => readConfig({ PORT: long })).toThrow(`not "${'x'.repeat(64)}…".`)
    const file = join(folder, 'attune.json')
    writeFileSync(file, '{"PORT":{"number":3000}}')
    expect(() => readConfig({ CONFIG: file })).toThrow('65535, not {"number":3000}.')
  })

  it('but never a secret, or what may hold one', () => {
    const secret = Object.values(SETTINGS).filter((setting) => 'secret' in setting)
    const names = Object.values(SETTINGS).map(({ env }) => env)
    expect(secret.map(({ env }) => env)).toEqual(names.filter((name) => /_URL$|_KEYS?$/.test(name)))
    expect(() => readConfig({ API_KEYS: ' , ' })).toThrow(/at least one\.$/)
    const url = 'ftp://me:hunter2@embed.example'
    expect(() => readConfig({ EMBEDDER: 'http', EMBEDDER_URL: url })).toThrow(
      new Error('EMBEDDER_URL must be an address that begins with http:// or https://.'),
    )
  })
})

it('a folder whose name only a shell would have replaced is refused: one of that name would be made', () => {
  for (const DATA_DIR of ['~', '~/attune', '$HOME/attune', '$DATA'])
    expect(() => readConfig({ DATA_DIR })).toThrow(
      `DATA_DIR must be the path of a folder, in which what a shell reads, such as ~ or $HOME, is written out, not ${JSON.stringify(DATA_DIR)}.`,
    )
  for (const DATA_DIR of ['./~', 'a~/b', '~ann', '/srv/$a'])
    expect(readConfig({ DATA_DIR }).dataDir).toBe(resolve(DATA_DIR))
})

it.each(Object.values(SETTINGS))(
  'the default of $env is one that may be sent',
  ({ env, fallback }) => {
    expect(readConfig({ [env]: String(fallback) })).toEqual(readConfig({}))
  },
)

it('each setting is read by a part of the service: of another, none would hear that it does nothing', () => {
  const folder = join(import.meta.dirname, '../src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const parts = files.filter((path) => path.endsWith('.ts') && path !== 'settings.ts')
  const text = parts.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n')
  const unread = Object.keys(SETTINGS).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))
  expect(unread).toEqual([])
})
