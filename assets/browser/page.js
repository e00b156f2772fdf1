// What the page shows and what can be pressed, as lines with references; and what changes in it. Runs in a world of its
// own beside the page's script (tools/browser_tab.py): neither sees the other's variables. Installed once a document.
(() => {
  if (globalThis.sopwith) return
  const refs = new Map()        // "e48213" → {el: WeakRef, key: what it was when it was shown}
  const seen = new Map()        // "e48213" → what a model was shown by this name, as a WeakRef
  const named = new WeakMap()   // element → its reference
  const MAX_CHARS = 2_000_000, MAX_MS = 6_000, LABEL = 140, VALUE = 300
  const ROLES = new Set(['button', 'link', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'checkbox', 'radio', 'switch',
    'option', 'combobox', 'textbox', 'searchbox', 'slider', 'spinbutton', 'treeitem'])
  const SKIP = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'OPTION', 'DATALIST', 'SOURCE', 'TRACK'])
  const clean = text => String(text ?? '').replace(/[\s\u00a0\u200b\ufeff]+/g, ' ').trim()
  const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + '…' : text
  const tagOf = el => el.tagName.toUpperCase()  // XHTML keeps small letters
  const attr = (el, name) => clean(el.getAttribute(name))

  function isShown(el) {
    if (!el.checkVisibility?.({opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: false})) {
      return getComputedStyle(el).display === 'contents'
    }
    const box = el.getBoundingClientRect()
    if (isAway(el, box)) return false
    if (box.width > 1 && box.height > 1) return true
    const style = getComputedStyle(el)
    return !(style.transform.startsWith('matrix(0, 0, 0, 0') || style.overflow !== 'visible' || style.clip !== 'auto' || style.clipPath !== 'none')
  }
  // Moved away to hide it: left of or above all that can be scrolled to, in the page or in the box around it that scrolls.
  function isAway(el, box) {
    const view = el.ownerDocument.defaultView
    const root = el.ownerDocument.scrollingElement
    if (view && root && box.left + view.scrollX > root.clientWidth && getComputedStyle(root).direction === 'rtl') return true
    if (view && el.offsetParent === null && (box.bottom < 0 || box.right < 0 || box.left >= view.innerWidth || box.top >= view.innerHeight) && getComputedStyle(el).position === 'fixed') return true
    if (!view || box.right + view.scrollX >= 0 && box.bottom + view.scrollY >= 0) return false
    for (let up = above(el); up; up = above(up)) {
      const style = getComputedStyle(up)
      if (up !== root && !/auto|scroll/.test(style.overflow)) continue
      const outer = up.getBoundingClientRect(), [top, left] = up === root ? [0, 0] : [outer.top, outer.left]
      const least = (isBackwards, inside, size) => isBackwards ? size - inside : 0
      const x = box.right - left + up.scrollLeft, y = box.bottom - top + up.scrollTop
      if (x < least(style.direction === 'rtl', up.scrollWidth, up.clientWidth)) return true
      if (y < least(style.flexDirection === 'column-reverse', up.scrollHeight, up.clientHeight)) return true
      if (up !== root) return false
    }
    return box.right + view.scrollX < 0 && getComputedStyle(root ?? el).direction !== 'rtl' || box.bottom + view.scrollY < 0
  }
  const above = el => el.assignedSlot ?? el.parentElement ?? el.getRootNode().host

  function role(el) {
    const said = attr(el, 'role').split(' ')[0]
    if (said && (ROLES.has(said))) return said
    switch (tagOf(el)) {
      case 'A': case 'AREA': return el.hasAttribute('href') ? 'link' : said
      case 'BUTTON': case 'SUMMARY': return 'button'
      case 'SELECT': return el.multiple || el.size > 1 ? 'listbox' : 'select'
      case 'TEXTAREA': return 'textbox'
      case 'CANVAS': return 'canvas'
      case 'INPUT': switch (el.type) {
        case 'hidden': return ''
        case 'button': case 'submit': case 'reset': case 'image': return 'button'
        case 'checkbox': case 'radio': case 'file': case 'password': case 'date': case 'time': case 'color': return el.type
        case 'range': return 'slider'
        default: return 'textbox'
      }
    }
    if (el.isContentEditable && !el.parentElement?.isContentEditable) return 'textbox'
    return said || (attr(el, 'draggable') === 'true' ? 'draggable' : '')
  }
  // The field through which an editor that draws its own text is typed into: there, and too small or too clear to be seen.
  const isThrough = el => tagOf(el) === 'TEXTAREA' && !el.readOnly && !el.disabled && el.tabIndex >= 0 && attr(el, 'aria-hidden') !== 'true'
    && el.checkVisibility({visibilityProperty: true}) && (!isShown(el) || isFolded(el.parentElement)) && !isAway(el, el.getBoundingClientRect())
  const isFolded = el => el && (el.clientHeight < 2 || el.clientWidth < 2)
  const HIDES = /^(inset\((50|100)%|circle\(0)/  // paths that leave nothing of what they cut out
  const isField = el => /^(INPUT|TEXTAREA|SELECT)$/.test(tagOf(el)) || (el.isContentEditable && role(el) === 'textbox')

  // What can be pressed: by its role, its handlers, or because the pointer says so.
  function press(el, style) {
    const is = role(el)
    if (ROLES.has(is) || isField(el) && is) return is
    if (/^(LABEL|HTML|BODY|CANVAS)$/.test(tagOf(el))) return ''
    if (el.hasAttribute('onclick') || tagOf(el) === 'VIDEO' && el.controls || tagOf(el) === 'AUDIO' && el.controls) return 'button'
    if (is === 'draggable') return is
    if (style.pointerEvents === 'none') return ''
    if (listens(el)) return 'button'
    if (style.cursor === 'pointer') {
      const outer = el.parentElement
      return outer && getComputedStyle(outer).cursor === 'pointer' || isBlank(el, style) ? '' : 'button'
    }
    // What the keyboard can reach can be pressed, but for boxes that are reached to be scrolled.
    return el.hasAttribute('tabindex') && el.tabIndex >= 0 && !el.hasAttribute('role') && !/auto|scroll/.test(style.overflow)
      && !hasInside(el) && !el.querySelector('[tabindex]') && textOf(el) ? 'button' : ''
  }
  // What listens for a press, as the browser says (tools/browser_tab.py): a thing of its own, or a row of a list that listens;
  // not what holds a whole page, or other things to press.
  const listening = new WeakSet()
  let around = new WeakSet()  // what holds something that listens
  function heard(...found) {
    around = new WeakSet()
    for (const each of found) {
      listening.add(each)
      for (let up = above(each); up && !around.has(up); up = above(up)) around.add(up)
    }
  }
  const LISTS = 'ul,ol,table,tbody,[role=list],[role=listbox],[role=menu],[role=tree],[role=grid]'
  function listens(el) {
    const list = /^(LI|TR)$/.test(tagOf(el)) && !el.querySelector(':scope > th') && el.parentElement?.closest(LISTS)
    if (!listening.has(el) && !(list && (listening.has(list) || tagOf(list) === 'TBODY' && listening.has(list.parentElement))) && !isRow(el)) return false
    if (el.matches(LISTS) || hasRows(el) || holdsControl(el)) return false
    const box = el.getBoundingClientRect()
    return box.width * box.height < innerWidth * innerHeight / 2 && !!(textOf(el) || attr(el, 'aria-label') || attr(el, 'title') || el.querySelector('img,svg'))
  }
  // Boxes that are alike, in one that listens for them all.
  const hasRows = el => el.childElementCount > 2 && !el.matches('button,a,[role=button]') && [...el.children].every(each => tagOf(each) === tagOf(el.children[0]) && each.className === el.children[0].className && getComputedStyle(each).display !== 'inline')
  function isRow(el) {
    const list = el.parentElement
    if (!list || !listening.has(list) || !hasRows(list)) return false
    const box = list.getBoundingClientRect()
    return box.width * box.height < innerWidth * innerHeight / 2
  }
  // Whether there is something of its own to press in what listens: by its kind, or since the pointer says so there alone.
  function holdsControl(el) {
    const isPointed = getComputedStyle(el).cursor === 'pointer'
    let left = 300
    const look = node => [...children(node)].some(each => each.nodeType === 1 && !SKIP.has(tagOf(each)) && left-- > 0 && isShown(each)
      && (each.matches(CONTROLS) || !isPointed && getComputedStyle(each).cursor === 'pointer' || look(each)))
    return look(el)
  }
  const isBlank = (el, style) => !el.childElementCount && !el.shadowRoot && !clean(el.textContent) && style.backgroundImage === 'none'
    && !attr(el, 'title') && !attr(el, 'aria-label') && /^(TD|TH)$/.test(tagOf(el))

  // A card of many lines, or one with more to press in it, is walked through instead of being one label.
  const CONTROLS = ['a[href],button,input,select,textarea,[contenteditable=true]', ...[...ROLES].filter(each => each !== 'textbox').map(each => `[role=${each}]`)].join()
  function hasInside(el) {
    if (around.has(el) && !el.shadowRoot || el.childElementCount && el.querySelector(CONTROLS)) return true
    if (el.shadowRoot) return false
    return textOf(el, LABEL + 1).length > LABEL || (role(el) !== 'button' && !!el.querySelector('h1,h2,h3,h4,p,table,ul'))
  }

  function children(el) {
    if (el.shadowRoot) { observe(el.shadowRoot); return el.shadowRoot.childNodes }
    if (tagOf(el) === 'SLOT') { const given = el.assignedNodes({flatten: true}); if (given.length) return given }
    return el.childNodes
  }
  function frameOf(el) { try { return el.contentDocument?.body ? el.contentDocument : null } catch { return null } }

  function textOf(el, most = 2000) {
    let text = ''
    const walk = node => {
      if (text.length > most) return
      if (node.nodeType === 3) text += node.data
      else if (node.nodeType === 1 && !SKIP.has(tagOf(node)) && tagOf(node) !== 'SVG' && isShown(node)) {
        if (tagOf(node) === 'IMG') text += ' ' + attr(node, 'alt') + ' '
        else { const gap = getComputedStyle(node).display.startsWith('inline') ? '' : ' '
          text += gap; for (const child of children(node)) walk(child); text += gap }
      }
    }
    for (const child of children(el)) walk(child)
    return clean(text)
  }

  function label(el) {
    const by = id => textOf(el.getRootNode().getElementById?.(id) ?? document.createElement('i'))
    const said = attr(el, 'aria-labelledby').split(' ').filter(Boolean).map(by).join(' ').trim() || attr(el, 'aria-label')
    if (said) return said
    if (isField(el)) {
      const around = [...(el.labels ?? [])].map(each => textOf(each)).join(' ').trim()
      const is = tagOf(el) === 'INPUT' && /^(submit|reset|button)$/.test(el.type)
      return is ? clean(el.value) || {submit: 'Submit', reset: 'Reset'}[el.type] || '' : around || attr(el, 'placeholder') || attr(el, 'data-placeholder') || attr(el, 'aria-placeholder') || attr(el, 'title') || attr(el, 'alt') || attr(el, 'name') || hint(el) || (isThrough(el) ? 'editor' : '')
    }
    const text = textOf(el)
    if (text && !/[\p{L}\p{N}]/u.test(text) && attr(el, 'title')) return `${text} ${attr(el, 'title')}`  // "›" says little
    return text || attr(el, 'title') || attr(el, 'alt') || clean(el.querySelector('svg title')?.textContent)
      || clean(el.querySelector('[aria-label]')?.getAttribute('aria-label')) || hint(el)
  }
  // For what shows a picture only: the words that its maker used.
  const hint = el => cut(clean([el.id, el.getAttribute('href')?.split(/[?#]/)[0].split('/').filter(Boolean).pop(), el.className?.baseVal ?? el.className,
    el.firstElementChild?.className?.baseVal ?? el.firstElementChild?.className].filter(each => typeof each === 'string' && each)[0] ?? ''), 40)

  function value(el) {
    if (tagOf(el) === 'SELECT') return [...el.selectedOptions].map(each => clean(each.label)).join(', ')
    if (el.type === 'password') return el.value ? '••••' : ''
    if (el.type === 'file') return [...el.files].map(each => each.name).join(', ')
    if (tagOf(el) === 'INPUT' && /^(submit|reset|button|image|checkbox|radio)$/.test(el.type)) return ''
    return clean(el.isContentEditable ? textOf(el) : el.value)
  }

  function states(el) {
    const on = (name, word) => attr(el, name) === 'true' ? [word] : []
    const found = [...(isOff(el) || attr(el, 'aria-disabled') === 'true' ? ['disabled'] : []), ...(el.readOnly ? ['read-only'] : []),
      ...(el.required || attr(el, 'aria-required') === 'true' ? ['required'] : []), ...on('aria-selected', 'selected'), ...on('aria-pressed', 'pressed'),
      ...(attr(el, 'aria-current') && attr(el, 'aria-current') !== 'false' ? ['current'] : []), ...on('aria-invalid', 'invalid')]
    if (el.hasAttribute('aria-expanded')) found.push(attr(el, 'aria-expanded') === 'true' ? 'open' : 'closed')
    else if (tagOf(el) === 'SUMMARY') found.push(el.parentElement?.open ? 'open' : 'closed')
    if (el.willValidate && el.value && !el.validity.valid && !found.includes('invalid')) found.push('invalid')  // checkValidity() would tell the page
    return found
  }
  const isOff = el => el.matches(':disabled') || !!el.closest('[inert]')

  // A reference is made of what a thing is: its kind, its words, its row. So it stays the same when the page is loaded anew,
  // or built again by its framework, in this run and in a replay; and it is nobody's when that thing is not there.
  const letters = text => /[^\d\s.,()]/.test(text) ? text.replace(/[\d.,]+/g, '0') : text
  const keyOf = (el, is, text) => `${is}|${cut(letters(text), 80)}|${el.name ?? ''}`
  function rowOf(el) {
    const row = el.parentElement?.closest('li,tr,[role=row],[role=listitem],[role=treeitem],article,dialog,[role=dialog]')
    return row ? cut(clean(row.textContent.slice(0, 400)), 80) : ''
  }
  function hash(text) {
    let sum = 0x811c9dc5
    for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
    sum ^= sum >>> 15; sum = Math.imul(sum, 0x2c1b3c6d); sum ^= sum >>> 12
    return 10000 + (sum >>> 0) % 90000
  }
  function name(el, is, text) {
    const key = keyOf(el, is, text), before = named.get(el)
    if (before && refs.get(before)?.key === key) return before
    const whole = `${key}|${is === 'link' ? (el.getAttribute('href') ?? '').split(/[?#]/)[0] : ''}|${rowOf(el)}`
    for (let at = 0; ; at++) {
      const ref = `e${hash(`${whole}#${at}`)}`, there = refs.get(ref)?.el.deref()
      if (there && there !== el && there.isConnected) continue
      named.set(el, ref)
      refs.set(ref, {el: new WeakRef(el), key})
      return ref
    }
  }

  function scan({textOnly = false, isSeen = false} = {}) {
    const missed = isSeen ? between(null) : []
    const start = performance.now(), lines = [], controls = {}, mark = `\ue000${Math.random()}`  // of references that are ours
    faint = []
    let line = '', prefix = '', chars = 0, isCut = false, group = 0, path = [], frames = 0, hasPassword = false
    const flush = () => {
      const text = clean(line.replace(/\((?=e\d)/g, '( ').replaceAll(mark, ''))  // what a page writes is no reference
      if (text && /[^|\s]/.test(text)) { lines.push(path.length ? [prefix + text, path.slice()] : [prefix + text]); chars += text.length; prefix = '' }
      line = ''
    }
    const put = text => { line += text }

    function control(el, is) {
      const text = label(el), ref = name(el, is, text)
      controls[ref] = {role: is, name: cut(text, LABEL), ...about(el)}
      if (isSeen) seen.set(ref, new WeakRef(el))
      if (textOnly) return put(' ' + (isField(el) ? value(el) : text) + ' ')
      const more = states(el)
      if (is === 'checkbox' || is === 'radio' || is === 'switch' || /^menuitem(checkbox|radio)$/.test(is)) {
        const on = el.checked ?? attr(el, 'aria-checked') === 'true'
        return put(` [${on ? 'x' : ' '}] [${cut(text, LABEL)}](${mark}${[ref, is, ...more].join(' ')}) `)
      }
      let shown = cut(text, LABEL)
      const amount = isField(el) ? '' : attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow')
      if (amount) shown += ` = ${cut(amount, 40)}`
      if (isField(el) && is !== 'button') {
        const now = cut(value(el), VALUE)
        shown += now ? ` = ${now}` : ''
        const options = tagOf(el) === 'SELECT' ? el.options : tagOf(el) === 'INPUT' && el.list ? el.list.options : []
        if (options.length) {
          const all = [...options].map(each => cut(clean(each.label || each.value), 40) + (isOff(each) ? ' (disabled)' : ''))
          shown += ` {${all.slice(0, 30).join('|')}${all.length > 32 ? `|… ${all.length - 30} more` : all.slice(30).map(each => '|' + each).join('')}}`
        }
        if (is === 'password') hasPassword = true
      }
      put(` [${shown}](${mark}${[ref, ...(is === 'link' ? [] : [is]), ...more].join(' ')}) `)
    }

    function about(el) {
      const found = {}
      if (tagOf(el) === 'A' || tagOf(el) === 'AREA') found.href = cut(el.href, 2000)
      const form = el.form ?? el.closest?.('form')
      const submits = form && (tagOf(el) === 'BUTTON' ? el.type === 'submit' : tagOf(el) === 'INPUT' && /^(submit|image)$/.test(el.type))
      if (submits) Object.assign(found, {submits: (el.getAttribute('formmethod') || form.method || 'get').toLowerCase(), action: cut(String(el.formAction || form.action), 2000)})
      if (form && !submits && isField(el)) found.form = (form.method || 'get').toLowerCase()
      return found
    }

    // Of a row of brothers that look alike, each line knows which one it belongs to: what is cut is counted.
    function alike(el, list) {
      if (/^(UL|OL|TBODY|TABLE|DL)$/.test(tagOf(el)) || /^(list|listbox|grid|rowgroup|feed|menu|tree)$/.test(attr(el, 'role'))) return true
      if (list.length < 6) return false
      const kinds = new Map()
      for (const each of list) { const key = tagOf(each) + '.' + (each.classList?.[0] ?? ''); kinds.set(key, (kinds.get(key) ?? 0) + 1) }
      return Math.max(...kinds.values()) >= 0.8 * list.length
    }

    function walkAll(el) {
      const isShut = tagOf(el) === 'DETAILS' && !el.open
      const nodes = isShut ? [...el.children].filter(each => tagOf(each) === 'SUMMARY') : children(el), list = []
      for (const each of nodes) if (each.nodeType === 1 && !SKIP.has(tagOf(each))) list.push(each)
      if (!alike(el, list) || list.length < 2) { for (const each of nodes) walk(each); return }
      const own = ++group
      let at = 0
      for (const each of nodes) {
        if (each.nodeType !== 1) { walk(each); continue }
        if (SKIP.has(tagOf(each))) continue
        path.push(own, at)
        const before = lines.length, was = line
        walk(each)
        path.length -= 2
        if (lines.length > before || line !== was) at++
      }
    }

    function editors(el) { for (const each of el.getElementsByTagName('TEXTAREA')) if (isThrough(each)) control(each, 'textbox') }

    // Text whose line ends are seen, as in code.
    function written(text) {
      for (const [at, each] of text.split('\n').entries()) {
        if (at) flush()
        if (each.trim() && !clean(line) && !prefix) prefix = each.match(/^\s*/)[0].replaceAll('\t', '  ').slice(0, 40)
        put(each)
      }
    }

    function walk(node) {
      if (isCut) return
      if (node.nodeType === 3) {
        const keeps = node.data.includes('\n') && node.parentElement && /^(pre|break)/.test(getComputedStyle(node.parentElement).whiteSpace)
        return keeps ? written(node.data) : put(node.data)
      }
      if (node.nodeType !== 1 || SKIP.has(tagOf(node))) return
      if (chars > MAX_CHARS || performance.now() - start > MAX_MS) { isCut = true; return }
      const el = node, tag = tagOf(el)
      if (tag === 'BR') return flush()
      const style = getComputedStyle(el)
      if (style.display === 'none' || !isShown(el)) {
        if (tag === 'INPUT' && /^(file|checkbox|radio)$/.test(el.type) && style.display !== 'none' && el.labels?.length && isShown(el.labels[0])) control(el, role(el))
        else if (tag === 'INPUT' && el.type === 'file') control(el, 'file')  // hidden behind a button of the page's own
        else if (isThrough(el)) control(el, 'textbox')
        else if (style.display !== 'none' && el.textContent.length < 400 && faint.length < 100 && clean(el.textContent)) faint.push(new WeakRef(el))
        if (isFolded(el) && style.display !== 'none') editors(el)
        if (style.visibility === 'hidden' && tag !== 'INPUT') for (const each of children(el)) if (each.nodeType === 1) walk(each)  // one inside may be shown
        return
      }
      if (style.overflow !== 'visible' && isFolded(el) && !style.display.startsWith('inline') && tag !== 'HTML' && tag !== 'BODY' || HIDES.test(style.clipPath)) return editors(el)
      const isBlock = !/^(inline|contents|ruby)/.test(style.display) || tag === 'LI' || tag === 'TR'
      const isCell = tag === 'TD' || tag === 'TH' || style.display === 'table-cell'
      if (isBlock && !isCell) flush()
      const is = press(el, style)
      if (is && !(isField(el) === false && hasInside(el))) { control(el, is) } else {
        if (is) { const ref = name(el, is, label(el)); controls[ref] = {role: is, name: cut(label(el), LABEL), ...about(el)}
          if (isSeen) seen.set(ref, new WeakRef(el))
          if (!textOnly) put(`(${mark}${[ref, ...(is === 'link' ? [] : [is]), ...states(el)].join(' ')}) `) }
        const isStruck = style.textDecorationLine === 'line-through' && !textOnly && clean(el.textContent)  // the price that was
        if (isStruck) put(' ~~')
        inside(el, tag, isCell)
        if (isStruck) line = line.trimEnd() + '~~ '
      }
      if (isBlock && !isCell) flush()
      if (isCell) put(' | ')
    }

    function inside(el, tag, isCell) {
      const heading = /^H([1-6])$/.exec(tag)?.[1] ?? (attr(el, 'role') === 'heading' ? attr(el, 'aria-level') || '2' : '')
      if (heading && !isCell) prefix = textOnly ? '' : '#'.repeat(Math.min(6, +heading)) + ' '
      else if (tag === 'LI' && !textOnly) prefix = '- '
      if (tag === 'IMG' || tag === 'svg' || tag === 'SVG') {
        const alt = tag === 'IMG' ? attr(el, 'alt') : attr(el, 'aria-label') || clean(el.querySelector(':scope > title')?.textContent)
        const texts = tag === 'IMG' ? '' : [...el.querySelectorAll('text')].map(each => clean(each.textContent)).join(' ')
        if (alt || texts) put(` (image: ${cut([alt, texts].filter(Boolean).join(': '), 400)}) `)
        for (const each of onImage(el)) control(each, role(each) || 'button')
      } else if (tag === 'IFRAME' || tag === 'FRAME') frame(el)
      else if (tag === 'CANVAS') { drawn(el); for (const each of children(el)) walk(each) }
      else if (tag === 'VIDEO' || tag === 'AUDIO') put(`(${tag.toLowerCase()} ${attr(el, 'aria-label') || attr(el, 'title')}) `)
      else if (tag === 'OBJECT' || tag === 'EMBED') put(`(${attr(el, 'type') || 'object'} that holds no text) `)
      else if (attr(el, 'role') === 'img' && attr(el, 'aria-label')) { const text = textOf(el); put(` (image: ${cut(attr(el, 'aria-label'), 400)}) ${/[\p{L}\p{N}]/u.test(text) ? text : ''}`) }
      else if (/^(progressbar|meter)$/.test(attr(el, 'role')) && attr(el, 'aria-valuenow') && !textOf(el)) put(` (${attr(el, 'aria-label') || attr(el, 'role')} ${attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow') + '/' + (attr(el, 'aria-valuemax') || '100')}) `)
      else if (tag === 'METER' || tag === 'PROGRESS') put(` (${attr(el, 'aria-label') || tag.toLowerCase()} ${el.value}/${el.max}) `)
      else if (tag === 'DIALOG' || /^(alert)?dialog$/.test(attr(el, 'role'))) { put('(dialog)'); flush(); walkAll(el); flush(); put('(end of dialog)'); flush() }
      else walkAll(el)
      if (heading) { flush(); prefix = '' }
    }

    // What can be pressed in an image: areas of its map, parts of a drawing.
    function onImage(el) {
      if (tagOf(el) === 'IMG') return [...(mapOf(el)?.areas ?? [])].filter(each => each.hasAttribute('href') || each.hasAttribute('onclick') || listening.has(each))
      return [...el.querySelectorAll('*')].filter(each => (each.matches('a,[onclick],[role=button],[role=link],[tabindex]') || listening.has(each)) && isShown(each)).slice(0, 200)
    }

    // A canvas is pressed at a place in it: click(ref, {x, y}).
    function drawn(el) {
      const ref = name(el, 'canvas', label(el)), box = el.getBoundingClientRect(), size = `${Math.round(box.width)}×${Math.round(box.height)}`
      controls[ref] = {role: 'canvas', name: cut(label(el), LABEL)}
      put(textOnly ? ` (canvas ${label(el)} ${size}) ` : ` [${cut(label(el), LABEL)}](${mark}${ref} canvas ${size}) `)
    }

    function frame(el) {
      const inner = frameOf(el)
      if (inner) { observe(inner); flush(); if (!textOnly) { put(`(frame ${attr(el, 'title') || attr(el, 'name')})`); flush() } walkAll(inner.body); flush(); if (!textOnly) { put('(end of frame)'); flush() } }
      else { frames++; let host = ''; try { host = new URL(el.src).host } catch {} put(`(frame of another site: ${host} ${attr(el, 'title')}) `) }
    }

    const open = document.querySelector('dialog[open]:modal, [aria-modal=true]')
    if (document.body) walkAll(document.body)
    else if (document.documentElement) walk(document.documentElement)  // a drawing
    flush()
    const root = document.scrollingElement ?? document.documentElement
    return {title: clean(document.title), url: location.href, type: document.contentType, lines, controls, isCut, frames, hasPassword,
      meanwhile: missed, isModal: !!open && isShown(open), screens: root ? root.scrollHeight / Math.max(1, innerHeight) : 0, scrolled: root ? root.scrollTop / Math.max(1, innerHeight) : 0,
      state: document.readyState}
  }

  // ---- acting -------------------------------------------------------------------------------------------------
  function find(ref, {moves = true, name: wanted} = {}) {
    if (!refs.get(ref)?.el.deref()?.isConnected) scan()  // it may have come since, or be a replay's
    const known = refs.get(ref)
    let el = known?.el.deref()
    if (!known) return {problem: `${ref} is not on this page: web_scan shows what is`}
    if (!el?.isConnected) return {problem: `${ref} has gone from the page: web_scan shows what is there now`}
    // Of things that differ by a number alone the one is meant that was shown, not the one that stands in its place now.
    if (wanted && seen.get(ref)?.deref() !== el && cut(label(el), LABEL) !== wanted) {
      const like = [...refs.values()].filter(each => each.key === known.key).map(each => each.el.deref()).filter(each => each?.isConnected)
      const same = like.filter(each => cut(label(each), LABEL) === wanted)
      if (same.length !== 1 && like.length > 1) return {problem: `${ref} was “${wanted}”, which is not there now: web_scan shows the page anew`}
      el = same[0] ?? el
    }
    const is = role(el) || 'button', text = label(el)
    if (keyOf(el, is, text) !== known.key && !isField(el)) {
      return {problem: `${ref} was ${known.key.split('|').slice(0, 2).join(' ')} and is now ${is} ${cut(text, 80)}: web_scan shows the page anew`}
    }
    const found = {role: is, name: cut(text, LABEL), tag: tagOf(el), type: el.type ?? '', disabled: isOff(el), isField: isField(el), multiple: el.multiple === true, takesFolder: el.webkitdirectory === true, isThrough: isThrough(el), most: el.maxLength ?? -1,
      suggests: /^(combobox|searchbox)$/.test(is) || ['aria-autocomplete', 'aria-owns', 'aria-controls'].some(each => el.hasAttribute(each))}
    if (!moves) { refs.set(ref, {...known, el: new WeakRef(el)}); return found }
    if (el.scrollIntoViewIfNeeded) el.scrollIntoViewIfNeeded(true); else el.scrollIntoView({block: 'center', behavior: 'instant'})
    refs.set(ref, {...known, el: new WeakRef(el)})
    return {...found, ...point(el)}
  }
  function offset(el) {
    let x = 0, y = 0
    for (let view = el.ownerDocument.defaultView; view && view !== window && view.frameElement; view = view.parent) {
      const box = view.frameElement.getBoundingClientRect()
      x += box.left + view.frameElement.clientLeft; y += box.top + view.frameElement.clientTop
    }
    return [x, y]
  }
  function deepest(doc, x, y) {
    let hit = doc.elementFromPoint(x, y)
    while (hit?.shadowRoot) { const inner = hit.shadowRoot.elementFromPoint(x, y); if (!inner || inner === hit) break; hit = inner }
    return hit
  }
  const holds = (outer, inner) => { for (let each = inner; each; each = each.assignedSlot ?? each.parentElement ?? each.getRootNode()?.host) if (each === outer) return true; return false }
  const mapOf = image => image.useMap ? image.ownerDocument.querySelector(`map[name="${CSS.escape(image.useMap.slice(1))}"]`) : null
  // An area has no box of its own: a place in the image at which it is what is met.
  function inArea(el) {
    const doc = el.ownerDocument, image = [...doc.images].find(each => each.useMap && mapOf(each) === el.closest('map') && isShown(each))
    if (!image) return {hidden: true}
    image.scrollIntoView({block: 'center', behavior: 'instant'})
    const outer = image.getBoundingClientRect(), at = (attr(el, 'coords').match(/-?[\d.]+/g) ?? []).map(Number), [dx, dy] = offset(el)
    const xs = at.filter((_, index) => index % 2 === 0), ys = at.filter((_, index) => index % 2 === 1)
    const shape = attr(el, 'shape').toLowerCase(), [cx, cy, size] = at
    const [left, top, right, bottom] = shape.startsWith('circ') ? [cx - size, cy - size, cx + size, cy + size]
      : at.length < 4 ? [0, 0, outer.width, outer.height] : [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
    const box = [outer.left + left + dx, outer.top + top + dy, right - left, bottom - top]
    const parts = [.5, .3, .7, .1, .9, .2, .8, .4, .6, .02, .98]
    for (const fy of parts) for (const fx of parts) {
      const x = outer.left + left + (right - left) * fx, y = outer.top + top + (bottom - top) * fy
      if (deepest(doc, x, y) === el) return {x: x + dx, y: y + dy, box}
    }
    return {x: box[0] + box[2] / 2, y: box[1] + box[3] / 2, covered: 'another part of the image, or what lies on it', box}
  }
  function point(el) {
    if (tagOf(el) === 'AREA') return inArea(el)
    const boxes = [...el.getClientRects()].filter(box => box.width > 0 && box.height > 0)
    const target = boxes.length ? el : el.labels?.[0]
    const box = boxes[0] ?? target?.getClientRects()[0]
    if (!box) return {hidden: true}
    const [dx, dy] = offset(el)
    let blocker = ''
    for (const [fx, fy] of [[.5, .5], [.25, .5], [.75, .5], [.5, .2], [.5, .8]]) {
      const x = box.left + box.width * fx, y = box.top + box.height * fy, hit = deepest(el.ownerDocument, x, y)
      if (hit && (holds(target, hit) || holds(hit, target) && !hit.matches('dialog,[role=dialog]') || [...(el.labels ?? [])].some(each => holds(each, hit)))) return {x: x + dx, y: y + dy, box: [box.left + dx, box.top + dy, box.width, box.height]}
      blocker ||= hit ? `${role(hit) || tagOf(hit).toLowerCase()} ${cut(textOf(hit) || hint(hit), 80)}` : 'the edge of the window'
    }
    return {x: box.left + box.width / 2 + dx, y: box.top + box.height / 2 + dy, covered: blocker, box: [box.left + dx, box.top + dy, box.width, box.height]}
  }
  // The reference of the smallest thing that shows this text, for what has none of its own.
  function showing(text) {
    let found = null
    const wanted = clean(text), look = root => {
      for (const el of root.querySelectorAll('*')) {
        if (!SKIP.has(tagOf(el)) && el.textContent.length < 4 * wanted.length + 400 && (!found || found.contains(el)) && isShown(el) && textOf(el) === wanted) found = el
        if (el.shadowRoot && !found) look(el.shadowRoot)
      }
    }
    if (document.body && wanted) look(document.body)
    return found && name(found, role(found) || 'button', label(found))
  }
  const element = ref => refs.get(ref)?.el.deref() ?? null

  // Makes ready for typing: focus, and what is there selected so that the new text takes its place.
  function enter(ref, atEnd = false) {
    const el = element(ref)
    el.focus()
    if (el.isContentEditable) { const chosen = el.ownerDocument.getSelection(); chosen.selectAllChildren(el); if (atEnd) chosen.collapseToEnd() }
    else if (atEnd && tagOf(el) === 'TEXTAREA') el.setSelectionRange(el.value.length, el.value.length)
    else if (el.select && !/^(date|time|month|week|color|range|datetime-local|number)$/.test(el.type)) el.select()
    else if (el.type === 'number') el.select()
  }
  function tell(el) { for (const kind of ['input', 'change']) el.dispatchEvent(new Event(kind, {bubbles: true, composed: true})) }
  // For what cannot be typed into: dates, sliders, colours.
  function set(ref, text) {
    const el = element(ref)
    Object.getOwnPropertyDescriptor(el.constructor.prototype, 'value')?.set.call(el, text) ?? (el.value = text)
    tell(el)
    return el.value
  }
  const now = ref => { const el = element(ref); return el ? (el.type === 'password' ? el.value.length : el.isContentEditable ? clean(el.innerText) : el.value) : null }
  function choose(ref, wanted) {
    const el = element(ref), all = [...(el.options ?? [])]
    if (tagOf(el) !== 'SELECT') return {problem: `${ref} is no list of options: click it, and click what it shows`}
    const names = wanted.map(each => clean(each).toLowerCase()), picked = []
    for (const each of names) {
      const found = all.filter(option => [clean(option.label).toLowerCase(), option.value.toLowerCase()].includes(each))
      const close = found.length ? found : all.filter(option => clean(option.label).toLowerCase().includes(each))
      if (close.length && isOff(close[0])) return {problem: `${ref}: “${clean(close[0].label)}” is disabled`}
      if (close.length !== 1 && !found.length) return {problem: `${ref}: ${close.length ? 'several options' : 'no option'} “${each}”; there are ${cut(all.map(option => clean(option.label)).join(', '), 600)}`}
      picked.push(close[0])
    }
    if (el.multiple) for (const option of all) option.selected = picked.includes(option)
    else picked[0].selected = true
    tell(el)
    return {chosen: picked.map(option => clean(option.label))}
  }
  // What scrolls: the page, or the largest box in one that does not.
  function scrolling(root) {
    if (root.scrollHeight > root.clientHeight + 1) return root
    let found = root, most = 0
    for (const el of document.querySelectorAll('*')) {
      if (el.scrollHeight <= el.clientHeight + 1 || el.clientWidth * el.clientHeight <= most) continue
      if (/auto|scroll/.test(getComputedStyle(el).overflowY) && isShown(el)) { found = el; most = el.clientWidth * el.clientHeight }
    }
    return found
  }
  function scroll(ref, to) {
    const el = ref && element(ref)
    if (el) el.scrollIntoView({block: 'center', behavior: 'instant'})
    const root = document.scrollingElement ?? document.documentElement, box = el ? root : scrolling(root)
    if (!el) box.scrollTo({top: to === 'top' ? 0 : to === 'bottom' ? box.scrollHeight : box.scrollTop + (to === 'up' ? -0.9 : 0.9) * box.clientHeight, behavior: 'instant'})
    return clean(`${Math.round(box.scrollTop)} of ${box.scrollHeight}`)
  }
  function there(wanted) {
    let found = null
    try { found = document.querySelector(wanted) } catch {}
    return !!(found && isShown(found)) || texts().some(each => each.includes(clean(wanted)))
  }

  // ---- what changes -------------------------------------------------------------------------------------------
  let before = null, came = [], last = 0, moved = 0
  let refusals = []        // of fields, by the browser; it says them in bubbles beside the page
  let known = null, meanwhile = []  // what the last report left on the page, and what has come since
  let faint = []  // what was clear or moved away in the last scan, though it holds text: messages are shown from there
  const watched = new WeakSet(), roots = []
  const shown = text => text.split('\n').map(clean).filter(Boolean)
  // The lines that an element shows; innerText has all options of a list, of which a person sees one.
  function linesOf(el) {
    const found = shown(el.innerText ?? ''), options = new Map(), lists = tagOf(el) === 'SELECT' ? [el] : el.getElementsByTagName('SELECT')
    if (!lists.length || lists.length > 200) return found
    for (const list of lists) if (list.checkVisibility()) for (const each of shown(list.innerText)) options.set(each, (options.get(each) ?? 0) + 1)
    return found.filter(each => { const left = options.get(each); if (left) options.set(each, left - 1); return !left })
  }
  function texts() {
    const unseen = new Set(faint.map(each => each.deref()).filter(each => each?.isConnected && !isShown(each)).flatMap(linesOf))
    const found = document.body && document.getElementsByTagName('*').length < 40_000 ? linesOf(document.body) : []
    for (const each of roots) {
      const root = each.deref()
      if (!root || !(root.host ?? root.defaultView?.frameElement)?.isConnected) continue
      if (root.body) found.push(...linesOf(root.body))
      else for (const child of root.children) if (child.innerText && isShown(child)) found.push(...linesOf(child))
    }
    return unseen.size ? found.filter(each => !unseen.has(each)) : found
  }
  // What says that it is not there yet.
  const WAITING = /^(loading|please wait|one moment|working|正在加载|加载中|载入中|请稍候|請稍候|読み込み中)[\s.…。]*$/i
  let waiting = []
  const isWaiting = el => el?.isConnected && isShown(el) && WAITING.test(clean(el.innerText))
  function note(node) {
    const el = node.nodeType === 1 ? node : node.parentElement ?? node.getRootNode?.()?.host
    if (!el || came.length > 400 || document.readyState === 'loading' || SKIP.has(tagOf(el)) || !el.isConnected) return
    if ((el.textContent?.length ?? 0) > 2000 || !el.innerText || !isShown(el)) return
    if (isWaiting(el) && waiting.length < 20) waiting.push(new WeakRef(el))
    for (const each of linesOf(el)) if (came.length <= 400) came.push(cut(each, 300))
  }
  // A clock or a counter changes for ever and says nothing new; what grows, as an answer that is being written, is no such thing.
  const ticking = new WeakMap()
  function ticks(node) {
    const el = node.nodeType === 1 ? node : node.parentElement, at = performance.now()
    if (!el || el.children.length > 50) return false  // which is kept, childElementCount is counted each time
    const size = el.textContent.length, old = ticking.get(el)
    if (!old || at - old.at > 2000 || size > old.size + 3) { ticking.set(el, {count: 1, size, at}); return false }
    old.at = at
    return ++old.count > 5
  }
  const watcher = new MutationObserver(records => {
    for (const record of records) {
      if (record.type === 'attributes') { if ((record.target.textContent?.length ?? 0) < 400) note(record.target); continue }
      if (ticks(record.target)) continue
      last = performance.now(); moved++
      if (record.type === 'characterData') note(record.target)
      for (const node of record.addedNodes) { note(node); deep(node) }
    }
  })
  function deep(node) {
    if (node.nodeType !== 1) return
    if (node.shadowRoot) { observe(node.shadowRoot); for (const each of node.shadowRoot.children) { note(each); deep(each) } }
    if (node.childElementCount && node.childElementCount < 200) for (const each of node.children) deep(each)
  }
  function observe(root) {
    if (watched.has(root)) return
    watched.add(root)
    if (root !== document) roots.push(new WeakRef(root))
    root.addEventListener('invalid', event => { if (refusals.length < 20) refusals.push(event) }, true)
    watcher.observe(root, {subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['class', 'style', 'hidden', 'open', 'aria-hidden']})
  }
  observe(document)
  for (const kind of ['transitionend', 'animationend']) document.addEventListener(kind, event => { if ((event.target.textContent?.length ?? 400) < 400) note(event.target) }, true)
  // What came since the last report; only what is gone again, when what is there is shown anyway.
  function between(now) {
    const like = new Set([...known ?? []].map(letters)), there = known && came.length && !now ? texts() : []
    const found = known ? [...new Set([...came, ...now ?? []])].filter(each => /\p{L}{2}/u.test(each) && !like.has(letters(each)) && !there.some(line => line.includes(each))) : []
    known = null
    came = []
    return found.slice(0, 12).map(each => cut(each, 200))
  }
  // `before` stays null in a document that has come since: all that it shows is new.
  function begin() {
    const now = texts()
    meanwhile = between(now)
    before = new Set(now); waiting = []; refusals = []; moved = 0; last = performance.now()
    return true
  }
  function quiet() { return {ms: performance.now() - last, moved, state: document.readyState, waits: waiting.some(each => isWaiting(each.deref()))} }
  function end(most) {
    for (const record of watcher.takeRecords()) for (const node of record.addedNodes) note(node)
    const after = texts(), there = new Set(after), old = before ?? new Set()
    const fresh = [...new Set(after.filter(each => !old.has(each)))]
    const gone = [...new Set(came.filter(each => !there.has(each) && !old.has(each) && !after.some(line => line.includes(each))))]
    const news = [], sizes = {left: most}
    for (const each of fresh) { if (sizes.left <= 0) break; news.push(cut(each, 300)); sizes.left -= each.length }
    const refused = refusals.filter(each => !each.defaultPrevented && each.target.validationMessage).map(each => cut(`${label(each.target)}: ${clean(each.target.validationMessage)}`, 200))
    known = there
    came = []
    return {isNew: before === null, meanwhile, refused: [...new Set(refused)], text: news, more: fresh.length - news.length, passed: gone.slice(0, 20), title: clean(document.title), url: location.href}
  }

  Object.defineProperty(globalThis, 'sopwith', {value: {scan, heard, find, showing, element, now_at: () => location.href, enter, set, now, choose, scroll, there, begin, quiet, end}})
})()
