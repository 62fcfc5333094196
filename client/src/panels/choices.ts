// The completions offered while a command is typed. Pure.
import type { Quest } from '../net/protocol.gen'
import { mayMove, questCommand, VERBS } from '../state/quests'
import { words } from '../words'

const MODES = ['autonomous', 'supervised', 'manual'] as const

export interface Choice {
  text: string
  hint: string
  /** Whether the text is a complete command. If not, an argument has to follow. */
  whole: boolean
}

/** Slash commands that a choice only completes, because people mostly add an argument. */
export const WITH_WORDS = ['/mode', '/dismiss', '/summon', '/ask', '/focus', '/quest']

/** The maximum number of quests that are offered. More typed text narrows the list down. */
const MAX_QUESTS = 20

/**
 * The completions of the typed text; none if the text is no command. me: the spectatorId of the person at this page.
 * Only quests that this person is allowed to move are among them.
 */
export function choices(
  typed: string,
  roleIds: readonly string[],
  quests: readonly Quest[] = [],
  me: string | null = null,
): Choice[] {
  if (!typed.startsWith('/') || typed.includes('\n')) return []
  const mode = /^\/mode\s+(\S*)$/.exec(typed)
  if (mode)
    return MODES.filter((m) => m.startsWith(mode[1] ?? '') && m !== mode[1]).map((m) => ({
      text: `/mode ${m}`,
      hint: words.settings.modes[m],
      whole: true,
    }))
  const role = /^\/(skip|dismiss|summon)\s+(\S*)$/.exec(typed)
  if (role)
    return roleIds
      .filter((id) => id.startsWith(role[2] ?? '') && id !== role[2])
      .map((id) => ({ text: `/${role[1]} ${id}`, hint: '', whole: true }))
  const member = /^\/(ask|focus)\s+@?(\S*)$/.exec(typed)
  if (member)
    return roleIds
      .filter((id) => id.startsWith(member[2] ?? '') && id !== member[2])
      .map((id) => ({ text: `/${member[1]} ${id}`, hint: '', whole: member[1] === 'focus' }))
  const verb = /^\/quest\s+(\S*)$/.exec(typed)
  if (verb)
    return VERBS.filter((v) => v.startsWith(verb[1] ?? '')).map((v) => ({
      text: `/quest ${v}`,
      hint: words.quests.hints[v],
      whole: false,
    }))
  const quest = /^\/quest\s+(\S+)\s+(.*)$/.exec(typed)
  if (quest) return questChoices(quest[1] ?? '', quest[2] ?? '', quests, me)
  if (/\s/.test(typed)) return []
  return Object.entries(words.commands)
    .filter(([name]) => name.startsWith(typed))
    .map(([name, hint]) => ({ text: name, hint, whole: !WITH_WORDS.includes(name) }))
}

/**
 * The completions for quests that the person `me` can move by the verb `typed`, and whose id begins with `wanted` or
 * whose title contains it.
 */
function questChoices(typed: string, wanted: string, quests: readonly Quest[], me: string | null): Choice[] {
  const verb = VERBS.find((v) => v === typed)
  if (!verb || quests.some((q) => q.id === wanted)) return []
  const letters = wanted.trim().toLowerCase()
  return quests
    .filter(
      (q) =>
        mayMove(q, verb, me) &&
        (q.id.startsWith(wanted) || (letters !== '' && q.title.toLowerCase().includes(letters))),
    )
    .slice(0, MAX_QUESTS)
    .map((q) => ({ text: questCommand(verb, q.id), hint: q.title, whole: true }))
}
