// Searches the transcripts of a realm with GET /api/search.

/** A row that the search found. parts: excerpts of the row's text, in order. */
export interface SearchHit {
  seq: number
  messageId: string
  conversationId: string
  kind: string
  title: string
  role: string
  name: string
  at: string
  parts: readonly { text: string; hit?: boolean }[]
}

/** The time limit, in milliseconds. */
const SEARCH_TIMEOUT_MS = 10_000
/** The most hits. */
const MAX_HITS = 50

/** The answer to a search; null if the search was aborted. failed: the server's error message, or "" without one. */
export type Found = { hits: readonly SearchHit[] } | { failed: string } | null

function searchUrl(realmId: string, words: string, conversationId = ''): string {
  const q = new URLSearchParams({ realm: realmId, q: words, limit: String(MAX_HITS) })
  if (conversationId) q.set('conversation', conversationId)
  return `/api/search?${q.toString()}`
}

/** stop aborts the search. */
export async function search(
  realmId: string,
  words: string,
  conversationId: string,
  stop: AbortSignal,
): Promise<Found> {
  try {
    const answer = await fetch(searchUrl(realmId, words, conversationId), {
      signal: AbortSignal.any([stop, AbortSignal.timeout(SEARCH_TIMEOUT_MS)]),
    })
    const body: unknown = await answer.json().catch(() => null)
    if (!answer.ok) return { failed: textOf(body) }
    const hits = (body as { hits?: readonly SearchHit[] } | null)?.hits
    return { hits: Array.isArray(hits) ? hits.slice(0, MAX_HITS) : [] }
  } catch {
    return stop.aborted ? null : { failed: '' }
  }
}

function textOf(body: unknown): string {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : ''
  return typeof message === 'string' ? message : ''
}
