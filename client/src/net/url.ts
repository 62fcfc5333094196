// Where the socket is: the page's own host. A token that stands in the page's
// address goes along; a seat never stands in any address.
export function socketUrl(page: Pick<Location, 'protocol' | 'host' | 'search'>): string {
  const scheme = page.protocol === 'https:' ? 'wss:' : 'ws:'
  const token = new URLSearchParams(page.search).get('token')
  return `${scheme}//${page.host}/ws${token ? `?token=${encodeURIComponent(token)}` : ''}`
}
