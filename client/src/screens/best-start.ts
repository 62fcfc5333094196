// Chooses what the button of the start screen does. Pure.
import type { Agent, TemplateInfo } from '../net/protocol.gen'
import { countStanding } from '../state/findings'
import type { Model, RealmModel } from '../state/model'
import { isHeld, isRunning } from '../state/roster'
import { hasProcess, isGuest, lastPart, linked } from '../state/select'

/** The commands that a start sends. */
export const STARTS = ['player:link-repo', 'player:start-process', 'player:resume-realm'] as const

/**
 * enter: shows the realm that the page watches. review: starts the review that scouts play, in the realm that the page
 * watches, or in the folder at path. link: links the folder at path. resume: opens a realm of the list. choose: shows
 * the setup.
 */
export type Start =
  /** waiting: how many of the n agents cannot go on before the person answers. */
  | { do: 'enter'; why: 'agents'; n: number; waiting: number }
  | { do: 'enter'; why: 'running'; name: string; realm: string; open: boolean }
  | { do: 'enter'; why: 'found'; n: number; realm: string }
  | { do: 'enter'; why: 'realm'; realm: string }
  | { do: 'review'; template: TemplateInfo; folder: string; path: string }
  | { do: 'link'; folder: string; path: string }
  | { do: 'resume'; id: string; realm: string }
  | { do: 'choose' }

/** What the start screen offers first; null until the server has sent its state and that of the realm. */
export function bestStart(m: Model): Start | null {
  const { server, welcome, realm, realms } = m
  if (server === null || welcome === null || (welcome.realmId !== null && realm?.id !== welcome.realmId)) return null
  const review = server.templates.find((t) => t.driver === 'scout')
  if (welcome.realmId !== null && realm) return inRealm(realm, review, server.role === 'host' && !isGuest(m))
  const path = server.offer ?? ''
  if (path && review) return { do: 'review', template: review, folder: lastPart(path), path }
  if (path) return { do: 'link', folder: lastPart(path), path }
  const latest = [...(realms?.realms ?? [])].sort((a, b) =>
    (b.lastExplored ?? '').localeCompare(a.lastExplored ?? ''),
  )[0]
  return latest ? { do: 'resume', id: latest.id, realm: latest.name } : { do: 'choose' }
}

/** owner: whether the person may answer coding agents. */
function inRealm(realm: RealmModel, review: TemplateInfo | undefined, owner: boolean): Start {
  const { world } = realm
  const { name } = world.realm
  const agents = runningAgents(realm)
  const waiting = owner ? agents.filter(isHeld).length : 0
  if (agents.length > 0) return { do: 'enter', why: 'agents', n: agents.length, waiting }
  const p = world.processState
  if (hasProcess(world)) {
    const open = p.cast.some((c) => c.kind === 'open')
    return { do: 'enter', why: 'running', name: p.template?.name ?? name, realm: name, open }
  }
  const found = countStanding(world.findings)
  if (found > 0) return { do: 'enter', why: 'found', n: found, realm: name }
  if (linked(world) && review && p.status === 'idle') return { do: 'review', template: review, folder: name, path: '' }
  return { do: 'enter', why: 'realm', realm: name }
}

/** The coding agents that run in the realm now. A sub-agent is part of the agent that started it. */
function runningAgents({ world }: RealmModel): Agent[] {
  const subs = new Set(world.sessions?.filter((s) => s.parent).map((s) => s.agentId))
  return world.agents.filter((a) => isRunning(a) && !subs.has(a.id))
}
