// The texts about who plays a process, part of words.ts.
import type { TemplateInfo } from './net/protocol.gen'
import { join, plural, title } from './words-format'
import { spelled } from './words-start'

export const driverWords = {
  scout:
    'Scouts play it by themselves: they read the folder and report only what they can show. They use no ' +
    'language model.',
  review: (scouts: number, oracle: boolean) =>
    (scouts === 1
      ? 'A scout reads the repository with checks of its own.'
      : `${title(spelled(scouts))} scouts read the repository, each with checks of its own.`) +
    (oracle ? ' The Oracle weighs what they found into one report.' : ''),
  script: 'A script plays the roles that nobody takes.',
  model:
    'A model plays the roles that nobody takes. What it is told, and what it reads of a linked folder, ' +
    'goes to the address that this server was started with.',
  none: 'People play it: take one or several roles in the roster. The process waits at a role that nobody ' + 'holds.',
  noFolder: 'Scouts play it, and they need a repository. Choose one above, or link a folder first.',
  /**
   * How long a review by scouts takes at reading speed. It was measured on two cores: 18 s for 119 files, 39 s for
   * 1,600, 155 s for 11,500.
   */
  takes: '20 seconds to 3 minutes',
  open: (names: string) => `People play ${names}.`,
  /** Why this server's driver plays no role of the template, by driver. */
  without: {
    scout: 'A model or a script can play it if the server is started with -model-url URL or -script FILE.',
    script: 'This server’s script does not play it.',
    model: 'This server’s model does not play it.',
    none: 'This server has no model, script or scouts.',
  } as Record<string, string>,
}

/**
 * Says who plays a process of the template. driver: what plays roles on this server. folder: whether the process would
 * have a linked folder.
 */
export function whoPlays(t: TemplateInfo, driver: string, folder: boolean): string {
  if (t.driver === 'none') return `${driverWords.none} ${driverWords.without[driver] ?? ''}`
  if (t.driver === 'scout' && !folder) return driverWords.noFolder
  const open = t.cast.filter((r) => !r.played).map((r) => r.name)
  return open.length === 0 ? driverWords[t.driver] : `${driverWords[t.driver]} ${driverWords.open(join(open))}`
}

/** The description of a template. For a review by scouts, it counts the scouts of this server's template. */
export function about(t: TemplateInfo): string {
  return t.driver === 'scout' ? driverWords.review(scoutsOf(t), scoutsOf(t) < t.cast.length) : t.description
}

/**
 * A template in a line: who plays it, how long it takes, and what comes out. For people and models the duration is
 * unknown, so the line has the number of stages instead.
 */
export function inShort(t: TemplateInfo): string[] {
  const stages = plural(t.stages.length, 'stage')
  if (t.driver === 'scout')
    return [`${spelled(scoutsOf(t))} scouts`, driverWords.takes, 'findings, quests and a report']
  const played = t.cast.filter((r) => r.played).length
  const open = t.cast.length - played
  const who = [
    played > 0 ? `a ${t.driver} plays ${played === t.cast.length ? 'all roles' : plural(played, 'role')}` : '',
    open > 0 ? `people play ${plural(open, 'role')}` : '',
  ]
  return [...who.filter(Boolean), stages, 'a text from each stage']
}

/** The number of scouts that read the folder. This excludes the Oracle, who only judges what they found. */
export function scoutsOf(t: TemplateInfo): number {
  return t.cast.filter((r) => r.id !== 'oracle').length
}
