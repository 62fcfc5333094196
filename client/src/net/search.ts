// Searches the transcripts of a realm with GET /api/search.
import { ask, type Answer } from './ask'

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

/** The maximum number of hits. */
const MAX_HITS = 50

function searchUrl(realmId: string, words: string, conversationId = ''): string {
  const q = new URLSearchParams({ realm: realmId, q: words, limit: String(MAX_HITS) })
  if (conversationId) q.set('conversation', conversationId)
  return `/api/search?${q.toString()}`
}

/** Searches the realm's transcripts. stop: aborts the search. */
export async function search(
  realmId: string,
  words: string,
  conversationId: string,
  stop: AbortSignal,
): Promise<Answer<readonly SearchHit[]>> {
  const answer = await ask<{ hits: readonly SearchHit[] }>(searchUrl(realmId, words, conversationId), stop)
  return answer && 'got' in answer ? { got: answer.got.hits.slice(0, MAX_HITS) } : answer
}
