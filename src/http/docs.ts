/**
 * A page that shows the API document of the server that it came from and sends requests to it.
 * It is whole in itself: no script, style or font comes from elsewhere.
 */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attune API</title>
<style>
  :root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #2b6cb0; }
  * { box-sizing: border-box; }
  body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
  h1 { margin: 0; } h2 { border-bottom: 1px solid var(--line); margin: 2rem 0 .5rem; text-transform: capitalize; }
  input, textarea, button { font: inherit; padding: .3rem .5rem; border: 1px solid var(--line); border-radius: 4px; }
  input, textarea { width: 100%; background: transparent; color: inherit; }
  textarea, pre, code, .path { font-family: ui-monospace, monospace; font-size: 13px; }
  button { cursor: pointer; background: var(--accent); color: #fff; border: 0; }
  details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; }
  summary { cursor: pointer; padding: .4rem .6rem; display: flex; gap: .6rem; flex-wrap: wrap; align-items: baseline; }
  details > div { padding: .2rem .8rem .8rem; }
  .more { white-space: pre-wrap; }
  .method { font-weight: 700; width: 4.5rem; } .about { opacity: .75; }
  .GET { color: #2f855a; } .POST { color: #2b6cb0; } .PUT, .PATCH { color: #b7791f; } .DELETE { color: #c53030; }
  pre { background: var(--soft); padding: .6rem; overflow: auto; max-height: 26rem; border-radius: 4px; }
  table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .2rem .4rem; vertical-align: top; border-top: 1px solid var(--line); }
</style>
</head>
<body>
<h1>Attune API</h1>
<p id="about">Loading…</p>
<input id="find" type="search" placeholder="Filter by path or words" aria-label="Filter">
<main id="routes"></main>
<script>
'use strict'
const find = document.getElementById('find')
const main = document.getElementById('routes')
// The page lives at /docs and at /api/docs; the document lies beside it at both.
const documentUrl = location.pathname.replace(/docs\\/?$/, 'openapi.json')

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children.filter((child) => child !== undefined))
  return made
}

/** The named shapes, by what refers to them. */
let shapes = {}
function shapeOf(schema) {
  return schema && schema.$ref ? shapes[schema.$ref.split('/').pop()] : schema
}

function typeOf(schema) {
  if (!schema) return 'any'
  if (schema.$ref) return schema.$ref.split('/').pop()
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ')
  if (schema.type === 'array') return typeOf(schema.items) + '[]'
  return schema.format ? schema.type + ' (' + schema.format + ')' : schema.type || 'any'
}

function limits(schema) {
  const names = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern']
  return names.filter((name) => schema[name] !== undefined).map((name) => name + ' ' + schema[name]).join(', ')
}

function rows(reference, prefix, depth) {
  const schema = shapeOf(reference)
  if (!schema || depth > 4) return []
  if (schema.type === 'array') return rows(schema.items, prefix + '[]', depth + 1)
  const required = new Set(schema.required || [])
  return Object.entries(schema.properties || {}).flatMap(([name, property]) => {
    const path = prefix ? prefix + '.' + name : name
    const notes = [required.has(name) ? 'required' : '', limits(property), property.description || '']
    return [[path, typeOf(property), notes.filter(Boolean).join('; ')], ...rows(property, path, depth + 1)]
  })
}

function table(title, lines) {
  if (lines.length === 0) return undefined
  const body = lines.map((cells) =>
    element('tr', {}, ...cells.map((cell, at) => element('td', {}, at ? cell : element('code', {}, cell)))),
  )
  return element('div', {}, element('h4', {}, title), element('table', {}, ...body))
}

function sample(reference) {
  const schema = shapeOf(reference)
  if (!schema) return null
  if (schema.anyOf) return sample(schema.anyOf[0])
  if (schema.type === 'array') return [sample(schema.items)]
  if (schema.type === 'object') {
    const shown = schema.required && schema.required.length ? schema.required : Object.keys(schema.properties || {}).slice(0, 3)
    return Object.fromEntries(shown.map((name) => [name, sample((schema.properties || {})[name])]))
  }
  return { string: 'text', integer: 1, number: 1, boolean: true }[schema.type] ?? null
}

function attempt(method, path, operation) {
  const inputs = operation.parameters.map((parameter) =>
    element('input', { placeholder: parameter.name + ' (' + parameter.in + ')', name: parameter.name }),
  )
  const json = operation.requestBody && operation.requestBody.content['application/json']
  const body = json && element('textarea', { rows: 6, value: JSON.stringify(json.example || sample(json.schema), null, 2) })
  const out = element('pre', { hidden: true })
  const send = element('button', {
    textContent: 'Send',
    onclick: async () => {
      let url = documentUrl.replace(/openapi\\.json$/, '').replace(/^\\/$/, '/api/') + path.slice(1)
      const query = new URLSearchParams()
      const headers = body ? { 'content-type': 'application/json' } : {}
      operation.parameters.forEach((parameter, at) => {
        const value = inputs[at].value
        if (parameter.in === 'path') url = url.replace('{' + parameter.name + '}', encodeURIComponent(value))
        else if (value && parameter.in === 'query') query.append(parameter.name, value)
        else if (value) headers[parameter.name] = value
      })
      const started = performance.now()
      out.hidden = false
      try {
        const reply = await fetch(query.size ? url + '?' + query : url, { method, headers, body: body && body.value })
        const text = await reply.text()
        let shown = text
        try { shown = JSON.stringify(JSON.parse(text), null, 2) } catch {}
        out.textContent = reply.status + ' in ' + Math.round(performance.now() - started) + ' ms\\n\\n' + shown
      } catch (error) {
        out.textContent = String(error)
      }
    },
  })
  return element('div', {}, element('h4', {}, 'Try it'), ...inputs, body, send, out)
}

function show(method, path, operation) {
  const name = method.toUpperCase()
  const details = element('details', {},
    element('summary', {},
      element('span', { className: 'method ' + name }, name),
      element('span', { className: 'path' }, path),
      element('span', { className: 'about' }, operation.summary)))
  details.dataset.words = (name + ' ' + path + ' ' + operation.summary).toLowerCase()
  details.addEventListener('toggle', () => {
    if (details.childElementCount > 1) return
    const body = operation.requestBody
    const success = operation.responses[200].content['application/json']
    const failures = Object.entries(operation.responses).filter(([status]) => status !== '200')
    details.append(element('div', {},
      operation.description && element('p', { className: 'more' }, operation.description),
      table('Parameters', operation.parameters.map((one) => [one.name, typeOf(one.schema), [one.in, one.required ? 'required' : '', limits(one.schema), one.description || ''].filter(Boolean).join('; ')])),
      body && element('p', {}, body.description),
      body && table('Body', rows((body.content['application/json'] || {}).schema, '', 0)),
      success && table('Answer', rows(success.schema, '', 0)),
      table('Failures', failures.map(([status, failure]) => [status, failure.description])),
      attempt(name, path, operation)))
  }, { once: false })
  return details
}

find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\\s+/)
  for (const details of main.querySelectorAll('details'))
    details.hidden = !words.every((word) => details.dataset.words.includes(word))
})

fetch(documentUrl).then((reply) => reply.json()).then((api) => {
  document.getElementById('about').textContent = api.info.description + ' Version ' + api.info.version + ', base address ' + api.servers[0].url + '.'
  shapes = api.components.schemas
  for (const { name, description } of api.tags) {
    main.append(element('h2', {}, name), element('p', { className: 'about' }, description))
    for (const [path, item] of Object.entries(api.paths))
      for (const [method, operation] of Object.entries(item))
        if (operation.tags[0] === name) main.append(show(method, path, operation))
  }
}, (error) => { document.getElementById('about').textContent = 'The API document could not be read: ' + error })
</script>
</body>
</html>
`
