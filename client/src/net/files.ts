// Reads a file of the linked folder, and its past, from the server, searches for files, and accepts findings in them
// (P19.1, P19.4, P19.7, P19.8).
import { ask, type Answer } from './ask'
import type { FilePast, FilesFound, FileText, FindingAccepted } from './protocol.gen'

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

/** The files and folders of the map that words fit (P19.8). */
export function findFiles(realmId: string, words: string, stop: AbortSignal): Promise<Answer<FilesFound>> {
  return ask(`${realmUrl(realmId)}/files?${new URLSearchParams({ q: words }).toString()}`, stop)
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
