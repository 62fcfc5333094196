// Reads a file of the linked folder, and its past, from the server, and accepts findings in it (P19.1, P19.4, P19.7).
import { ask, type Answer } from './ask'
import type { FilePast, FileText, FindingAccepted } from './protocol.gen'

export function readFile(
  realmId: string,
  path: string,
  rev: '' | 'HEAD',
  stop: AbortSignal,
): Promise<Answer<FileText>> {
  return ask(`${realmUrl(realmId)}/file?${new URLSearchParams({ path, ...(rev && { rev }) }).toString()}`, stop)
}

export function readPast(realmId: string, path: string, stop: AbortSignal): Promise<Answer<FilePast>> {
  return ask(`${realmUrl(realmId)}/past?${new URLSearchParams({ path }).toString()}`, stop)
}

/** Accepts a finding in the linked folder (P19.7). Without write nothing is written. */
export function acceptFinding(
  realmId: string,
  what: { findingId: string; reason: string; write: boolean },
): Promise<Answer<FindingAccepted>> {
  return ask(`${realmUrl(realmId)}/accept`, new AbortController().signal, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(what),
  })
}

function realmUrl(realmId: string): string {
  return `/api/realms/${encodeURIComponent(realmId)}`
}
