// Selectors of the model. Pure, and cheap enough for every render: none walks through a transcript.
import type { Agent, Ask, Casting, ConversationView, Fort, MapTree, Role, Stage, World } from '../net/protocol.gen'
import type { AgentLabel } from './agent-labels'
import type { Model, RealmModel } from './model'

/** The transcript of the current process, also if the process is completed. */
export function processView(r: RealmModel): ConversationView | null {
  return r.views[r.world.processState.conversationId] ?? null
}

export interface StageAt {
  index: number
  total: number
  stage: Stage
}

/** The current stage and its index; null before a process was started. */
export function stageAt(r: RealmModel): StageAt | null {
  const p = r.world.processState
  const stages = p.template?.stages ?? []
  const stage = stages[p.currentStageIndex]
  return p.status !== 'idle' && stage ? { index: p.currentStageIndex, total: stages.length, stage } : null
}

/** The roles that take turns in a stage, in order. */
export function acting(stage: Stage): string[] {
  return stage.structure === 'single' ? stage.roles.slice(0, 1) : stage.roles
}

/** A role of the template of the process; null for none. */
export function role(r: RealmModel, id: string): Role | null {
  return r.world.processState.template?.roles.find((x) => x.id === id) ?? null
}

/** A cache: for each list of labels, the labels by agent id. The map reads 200 labels in every frame. */
const labels = new WeakMap<readonly AgentLabel[], ReadonlyMap<string, AgentLabel>>()

function labelOf(r: RealmModel, id: string): AgentLabel | undefined {
  let known = labels.get(r.agentLabels)
  if (!known) labels.set(r.agentLabels, (known = new Map(r.agentLabels.map((f) => [f.id, f]))))
  return known.get(id)
}

/** A cache: for each version of the conversations, the names of their members by member id. */
const members = new WeakMap<RealmModel['views'], Pick<RealmModel, 'heads'> & { names: ReadonlyMap<string, string> }>()

/** The name of a member of any conversation, such as an earlier process. */
function memberOf({ views, heads }: RealmModel, id: string): string | undefined {
  let known = members.get(views)
  if (known?.heads !== heads) {
    const all = [...Object.values(heads), ...Object.values(views)].flatMap((c) => c.team.members)
    known = { heads, names: new Map(all.map((m) => [m.id, m.displayName || m.name])) }
    members.set(views, known)
  }
  return known.names.get(id)
}

/** The name of a role or an agent, also of an earlier process; the id if it is unknown. */
export function nameOf(r: RealmModel, id: string): string {
  return role(r, id)?.name ?? labelOf(r, id)?.name ?? memberOf(r, id) ?? id
}

/** The name of a hero from the process or the list of agents; if neither has one, the hero's own name. */
export function heroName(r: RealmModel, a: Agent): string {
  return nameOr(r, a.id, a.displayName)
}

/** The present name of the hero whose camp this is; the camp's own name, if the hero is unknown. */
export function fortName(r: RealmModel, f: Fort): string {
  return nameOr(r, f.agentId, f.name)
}

/** The name of a role or an agent; `own` if it is unknown. */
function nameOr(r: RealmModel, id: string, own: string): string {
  const known = nameOf(r, id)
  return known === id ? own : known
}

export function colorOf(r: RealmModel, id: string): string | undefined {
  return labelOf(r, id)?.color ?? role(r, id)?.color
}

export function casting(r: RealmModel, roleId: string): Casting | null {
  return r.world.processState.cast.find((c) => c.roleId === roleId) ?? null
}

/** Whether the person at this page holds the role. */
export function isMine(c: Casting | null, m: Model): boolean {
  return c !== null && c.kind === 'human' && m.me !== null && c.spectatorId === m.me.spectatorId
}

/**
 * The turns of people for which the current process waits. It includes a turn whose process:turn did not reach this
 * page; such a turn has an empty prompt.
 */
export function asks(r: RealmModel): Ask[] {
  const view = processView(r)
  if (view === null || r.world.processState.status === 'completed') return []
  const known = view.plan.asked ?? []
  const told = new Set(known.map((a) => a.requestId))
  const bare = view.activeRuns
    .filter(
      (run) => run.turn !== undefined && !told.has(run.requestId) && casting(r, run.turn.roleId)?.kind === 'human',
    )
    .map((run): Ask => ({
      conversationId: view.conversationId,
      requestId: run.requestId,
      roleId: run.turn?.roleId ?? run.memberId,
      memberId: run.memberId,
      prompt: '',
    }))
  return [...known, ...bare]
}

/** The turns that wait for the person at this page. */
export function myAsks(m: Model): Ask[] {
  const r = m.realm
  return r === null ? [] : asks(r).filter((a) => isMine(casting(r, a.roleId), m))
}

/** Whether the person at this page is a host. The page assumes so until the server has reported the person's role. */
export function isHost(m: Model): boolean {
  return (m.me?.role ?? m.server?.role) !== 'spectator'
}

/** Whether the person at this page is a host who is not the owner of the server, and cannot answer agents (P17.8). */
export function isGuest(m: Model): boolean {
  return (m.me ?? m.server)?.guest === true
}

/** The folders of the map's tree, which has the upper levels only. */
export function foldersOf(tree: MapTree, out = new Set<string>()): ReadonlySet<string> {
  for (const child of tree.children ?? []) {
    out.add(child.path)
    foldersOf(child, out)
  }
  return out
}

const folderSets = new WeakMap<MapTree, ReadonlySet<string>>()

/** The folders of foldersOf, computed once for each tree. */
export function folderSet(tree: MapTree): ReadonlySet<string> {
  const known = folderSets.get(tree) ?? foldersOf(tree)
  folderSets.set(tree, known)
  return known
}

/**
 * The room of a path: a folder is its own room, and a file is in the room of the folder around it. null if the realm
 * has no rooms, or if the path is that of the whole repository.
 */
export function roomOf(r: RealmModel, folders: ReadonlySet<string>, path: string): string | null {
  const { files, folders: n } = r.world.map
  if (path === '' || files + n === 0) return null
  return folders.has(path) ? path : path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Whether a process runs or is paused, so that no other one can start. */
export function hasProcess(w: World): boolean {
  return w.processState.status === 'running' || w.processState.status === 'paused'
}

/** Whether the realm has a linked folder. Only hosts know its path. */
export function linked(w: World): boolean {
  return !!w.realm.path || w.map.source !== 'none'
}

/** The name of a folder: the last part of its path. */
export function lastPart(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path
}
