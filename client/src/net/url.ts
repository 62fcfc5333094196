// The server's addresses, on the page's own host. They contain the token of the page's address, if there is one, and
// never a seat.
type Page = Pick<Location, 'protocol' | 'host' | 'search'>

export function socketUrl(page: Page): string {
  const scheme = page.protocol === 'https:' ? 'wss:' : 'ws:'
  const token = tokenOf(page)
  return `${scheme}//${page.host}/ws${token ? `?token=${token}` : ''}`
}

export const EXPORTS = ['markdown', 'svg', 'json', 'sarif'] as const
export type ExportFormat = (typeof EXPORTS)[number]

/**
 * The address of an export of the realm, or of what one earlier process, or one session of a coding agent, has made.
 * of: the conversation of that process or session, "" for the realm and its current process.
 */
export function exportUrl(page: Pick<Location, 'search'>, realmId: string, format: ExportFormat, of = ''): string {
  const token = tokenOf(page)
  const only = of ? `&conversation=${encodeURIComponent(of)}` : ''
  return `/api/realms/${encodeURIComponent(realmId)}/export?format=${format}${only}${token ? `&token=${token}` : ''}`
}

function tokenOf(page: Pick<Location, 'search'>): string {
  return encodeURIComponent(new URLSearchParams(page.search).get('token') ?? '')
}
