// What a script of the model has at hand in the page. Each asks the program outside through `send`, which answers with
// `settle`; nothing of it stays in the page (tools/browser_script.py).
(binding) => {
  const send = globalThis[binding]
  delete globalThis[binding]
  const waiting = {}  // some pages put their own things in the place of Map or Array.map
  let number = 0
  const ask = (does, ...args) => new Promise((resolve, reject) => {
    waiting[++number] = [resolve, reject]
    send(JSON.stringify({number, does, args}))
  })
  const api = {}
  for (const does of ['click', 'type', 'select', 'press', 'hover', 'upload', 'wait', 'scroll', 'shot', 'el', 'secret', 'close']) api[does] = (...args) => ask(does, ...args)
  const plain = (value, depth = 0, above = []) => {
    if (value === undefined || typeof value === 'symbol') return null
    if (typeof value === 'function') return `function ${value.name}`
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
    if (value === null || typeof value !== 'object') return value
    if (value instanceof Node) return value.nodeType === 1 ? value.outerHTML.slice(0, 2000) : value.textContent
    if (value instanceof Date) return value.toISOString()
    if (value instanceof Error) return `${value.name}: ${value.message}`
    if (value instanceof Response) return `Response ${value.status} ${value.url} (await its text() or json())`
    if (above.includes(value)) return '(itself)'
    if (depth > 8) return '…'
    const inside = [...above, value]
    const isList = Array.isArray(value) || value instanceof NodeList || value instanceof HTMLCollection || value instanceof Set || ArrayBuffer.isView(value)
    if (isList) return Array.from(value, each => plain(each, depth + 1, inside))
    const pairs = value instanceof Map || value instanceof Headers || value instanceof FormData || value instanceof URLSearchParams ? [...value] : Object.entries(value)
    return Object.fromEntries(pairs.map(([key, each]) => [String(key), plain(each, depth + 1, inside)]))
  }
  return {
    plain,
    settle: (number, isDone, value) => { waiting[number]?.[isDone ? 0 : 1](isDone ? value : new Error(value)); delete waiting[number] },
    api,
  }
}
