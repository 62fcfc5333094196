// The summary of a session: where it is asked for, and what the page shows of it.
import { h, render } from 'preact'
import { afterEach, expect, it, vi } from 'vitest'
import { drawn } from '../../testing/page'
import { SummaryDialog } from './summary-dialog'

afterEach(() => vi.unstubAllGlobals())

async function shown(status: number, body: string): Promise<{ at: HTMLElement; asked: string[] }> {
  const asked: string[] = []
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url)
    return Promise.resolve(new Response(body, { status }))
  })
  const at = document.body.appendChild(document.createElement('div'))
  render(h(SummaryDialog, { realmId: 'r1', id: 'private-c1', onClose: () => undefined }), at)
  await vi.waitFor(async () => {
    await drawn()
    expect(at.textContent).not.toContain('is being read')
  })
  return { at, asked }
}

it('is read, rendered and downloaded from the export of its conversation', async () => {
  const { at, asked } = await shown(200, '# Mend it\n\n- `a.go`: 2 edits\n')
  const url = '/api/realms/r1/export?format=markdown&conversation=private-c1'
  expect(asked).toEqual([url])
  expect(at.querySelector('[data-testid="summary-download"]')?.getAttribute('href')).toBe(url)
  expect([...at.querySelectorAll('li code')].map((c) => c.textContent)).toEqual(['a.go'])
  expect(at.textContent).toContain('Mend it')
})

it('says why it cannot be read', async () => {
  const { at } = await shown(404, '{"code":"not_found","message":"there is no conversation here"}')
  expect(at.querySelector('[role="alert"]')?.textContent).toBe(
    'The summary cannot be read: there is no conversation here.',
  )
  expect(at.querySelector('[data-testid="summary-download"]')).toBe(null)
})
