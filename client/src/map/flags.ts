// Finds the worst severity at each path, and counts the findings below each folder. Pure.
import type { Finding } from '../net/protocol.gen'
import { RANK, stands } from '../state/findings'
import { parent } from './path'

export interface Flags {
  /** The worst severity of the findings at each path. */
  at: ReadonlyMap<string, Finding['severity']>
  /** For each folder, the number of findings at or below it. */
  below: ReadonlyMap<string, number>
}

export function flagsOf(findings: readonly Finding[]): Flags {
  const at = new Map<string, Finding['severity']>()
  const below = new Map<string, number>()
  for (const f of findings) {
    if (f.path === '' || !stands(f)) continue
    const worst = at.get(f.path)
    if (worst === undefined || RANK[f.severity] < RANK[worst]) at.set(f.path, f.severity)
    for (let folder = f.path; folder !== ''; folder = parent(folder)) below.set(folder, (below.get(folder) ?? 0) + 1)
  }
  return { at, below }
}
