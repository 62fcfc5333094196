// Looks at the page as it is and returns its faults, each a sentence. The tests of screens inject it. limits.targets is
// the smallest size of what a finger touches, in CSS pixels; 0 for a mouse.
(limits) => {
  const faults = new Set()
  const root = document.querySelector('dialog:modal, [aria-modal="true"]') ?? document.body
  const name = (e) => {
    const words = (e.getAttribute?.('aria-label') ?? e.innerText ?? '').trim().replace(/\s+/g, ' ').slice(0, 40)
    const id = e.closest?.('[data-testid]')?.dataset.testid
    return `${e.tagName.toLowerCase()}${id ? ` in ${id}` : e.className?.baseVal === undefined && e.className ? `.${e.className}` : ''} "${words}"`
  }
  if (document.documentElement.scrollWidth > innerWidth) {
    faults.add(`the page is ${document.documentElement.scrollWidth} pixels wide on a screen of ${innerWidth}`)
  }
  // A list that scrolls down does not scroll sideways.
  for (const e of root.querySelectorAll('.scroll, .window-box')) {
    if (!e.checkVisibility({ visibilityProperty: true }) || getComputedStyle(e).overflowX === 'hidden') continue
    if (e.scrollWidth > e.clientWidth) faults.add(`${name(e)} is ${e.scrollWidth - e.clientWidth} pixels wider than its place`)
  }

  // What lets clicks through covers other things all the same; light does not.
  const sheet = new CSSStyleSheet() // the policy of the page stops style elements
  sheet.replaceSync('*:not([data-light]), *::before, *::after { pointer-events: auto !important }')
  document.adoptedStyleSheets.push(sheet)

  // Whether the page draws the point of an element: not outside of the screen, and not scrolled or clipped away.
  const drawn = (e, x, y) => {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false
    for (let a = e; a && a !== document.documentElement; a = a.parentElement) {
      const s = getComputedStyle(a)
      if (s.clipPath !== 'none') return false
      if (s.position === 'fixed') return true
      const clips = (s.overflowX !== 'visible' || s.overflowY !== 'visible')
      const box = a.getBoundingClientRect()
      const [left, top] = [box.left + a.clientLeft, box.top + a.clientTop]
      if (clips && (x < left || x >= left + a.clientWidth - 1 || y < top || y >= top + a.clientHeight - 1)) return false
    }
    return true
  }
  const scroller = (e) => {
    for (let a = e.parentElement; a; a = a.parentElement) if (/auto|scroll/.test(getComputedStyle(a).overflowY)) return a
    return document.documentElement
  }
  // The heads of a list that scrolls stay in place over its rows.
  const sticks = (over, e) => {
    for (let a = over; a; a = a.parentElement) {
      if (getComputedStyle(a).position === 'sticky' && scroller(a) === scroller(e)) return true
    }
    return false
  }
  const related = (a, b) => a === b || a.contains(b) || b.contains(a)
  const sameLabel = (a, b) => a.closest('label') !== null && a.closest('label') === b.closest('label')
  // What a popover covers is free again when it is answered, as with a dialog.
  const pops = (over, e) => over.closest(':popover-open') !== null && !over.closest(':popover-open').contains(e)
  const over = (e, x, y) => {
    const top = document.elementFromPoint(x, y)
    return !top || related(top, e) || sameLabel(top, e) || sticks(top, e) || pops(top, e) ? null : top
  }

  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    const e = n.parentElement
    if (!n.data.trim() || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
    if (e.closest('script, style, noscript')) continue
    const range = document.createRange()
    range.selectNodeContents(n)
    for (const box of [...range.getClientRects()].slice(0, 4)) {
      if (box.width < 2 || box.height < 2) continue
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
      const top = drawn(e, x, y) ? over(e, x, y) : null
      if (top) faults.add(`${name(top)} covers the text of ${name(e)}`)
      const frame = drawn(e, x, y) && e.closest('button, [role="tab"]')?.getBoundingClientRect()
      if (frame && (box.top < frame.top - 2 || box.bottom > frame.bottom + 2)) faults.add(`the text of ${name(e)} leaves its button`)
    }
  }
  const touched = 'button, a[href], input, textarea, select, summary, [role="button"], [role="tab"], [tabindex="0"]'
  const open = [...root.querySelectorAll(touched)].filter((e) => {
    const box = e.getBoundingClientRect()
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || e.disabled) return false
    if (box.width > 200 && box.height > 60 && e.tagName === 'DIV') return false // an area, on which things stand
    return box.width >= 2 && box.height >= 2 && drawn(e, box.left + box.width / 2, box.top + box.height / 2)
  })
  for (const e of open) {
    const box = e.getBoundingClientRect()
    const top = over(e, box.left + box.width / 2, box.top + box.height / 2)
    if (top) faults.add(`${name(top)} covers ${name(e)}`)
  }
  document.adoptedStyleSheets.pop()

  // The names of tabs keep clear of the edges, and a sentence about a scene is not cut.
  for (const e of root.querySelectorAll('[role="tab"]')) {
    const range = document.createRange()
    range.selectNodeContents(e)
    const [box, list] = [range.getBoundingClientRect(), e.parentElement.getBoundingClientRect()]
    if (box.left < list.left + 8 || box.right > list.right - 8) faults.add(`${name(e)} touches the edge of its tabs`)
  }
  for (const e of root.querySelectorAll('.scene-why, .second-why')) {
    if (!e.checkVisibility({ visibilityProperty: true })) continue
    if (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) faults.add(`the text of ${name(e)} is cut`)
  }

  for (const e of limits.targets ? open : []) {
    if (getComputedStyle(e).display === 'inline') continue // a link in a line of text
    if (e.closest('[data-scenery]')) continue // it moves with the map, away from the controls
    const box = e.getBoundingClientRect()
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
    const whole = (e.closest('label') ?? e).getBoundingClientRect()
    if (!drawn(e, x, whole.top + 1) || !drawn(e, x, whole.bottom - 1)) continue // cut where its list scrolls
    const far = limits.targets / 2 - 2 // edges fall between pixels
    for (const [dx, dy] of [[far, 0], [-far, 0], [0, far], [0, -far]]) {
      if (!drawn(e, x + dx, y + dy)) continue
      const hit = document.elementFromPoint(x + dx, y + dy)
      if (!hit || e.contains(hit) || sameLabel(hit, e) || sticks(hit, e) || pops(hit, e)) continue
      const size = `${Math.round(box.width)}x${Math.round(box.height)}`
      faults.add(`${name(e)} is ${size}: too small to touch beside ${name(hit)}`)
      break
    }
  }
  return [...faults]
}
