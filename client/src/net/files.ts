// HTTP requests about files of the linked folder: read a file and its history, search for files, accept findings
// (P19.1, P19.4, P19.7 to P19.9).
import { ask, type Answer } from './ask'
import type { FilePast, FilesFound, FileText, FindingAccepted, FindingsAccepted } from './protocol.gen'

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

/** Searches the map's files and folders for words (P19.8). */
export function findFiles(realmId: string, words: string, stop: AbortSignal): Promise<Answer<FilesFound>> {
  return ask(`${realmUrl(realmId)}/files?${new URLSearchParams({ q: words }).toString()}`, stop)
}

/** Reads which findings the linked folder accepts (P19.9). */
export function readAccepted(realmId: string, stop: AbortSignal): Promise<Answer<FindingsAccepted>> {
  return ask(`${realmUrl(realmId)}/accepted`, stop)
}

/** Accepts a finding in the linked folder (P19.7). Without `write` the server only returns what it would write. */
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
