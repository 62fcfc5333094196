// Runs before each file of tests. The files of a worker share one page, because a page for each file would take more
// time than all tests. So each file gets modules of its own, and the page is emptied when the file has ended.
import { afterAll, vi } from 'vitest'
import { render } from 'preact'

vi.resetModules()

afterAll(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
  render(null, document.body)
  document.body.replaceChildren()
  document.head.replaceChildren()
  for (const element of [document.documentElement, document.body]) {
    for (const name of element.getAttributeNames()) element.removeAttribute(name)
  }
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
})

// No server answers in a test, unless the test puts one in place of fetch.
globalThis.fetch = () => Promise.reject(new TypeError('no server in a test'))
