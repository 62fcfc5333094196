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
  scouts: (n: number, oracle: boolean) =>
    `${spelled(n)} ${n === 1 ? 'scout' : 'scouts'}${oracle ? ' and the Oracle' : ''}`,
  script: 'A script plays the roles that nobody takes.',
  model:
    'A model plays the roles that nobody takes. What it is told, and what it reads of a linked folder, ' +
    'goes to the address that this server was started with.',
  none: 'People play it: take one or several roles in the roster. The process waits at a role that nobody holds.',
  roles: (names: string) => `Its roles are ${names}.`,
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
  if (t.driver === 'none') {
    const roles = t.roles.length > 0 ? driverWords.roles(join(t.roles)) : ''
    return [driverWords.none, roles, driverWords.without[driver]].filter(Boolean).join(' ')
  }
  if (t.driver === 'scout' && !folder) return driverWords.noFolder
  const open = t.cast.filter((r) => !r.played).map((r) => r.name)
  return open.length === 0 ? driverWords[t.driver] : `${driverWords[t.driver]} ${driverWords.open(join(open))}`
}

/** The description of a template. For a review by scouts, it counts the scouts of this server's template. */
export function about(t: TemplateInfo): string {
  return t.driver === 'scout' ? driverWords.review(scoutsOf(t), scoutsOf(t) < t.cast.length) : t.description
}

/**
 * What a brainstorm of the server leaves, and about how many minutes people take for it, at three to five minutes a
 * turn. By the id of the template.
 */
const BRAINSTORMS: Record<string, { minutes: number; leaves: string } | undefined> = {
  rapid_fire: { minutes: 15, leaves: 'the best three ideas and a plan' },
  scamper: { minutes: 20, leaves: 'a concept' },
  six_thinking_hats: { minutes: 20, leaves: 'a view from all sides' },
  standard_brainstorm: { minutes: 30, leaves: 'a recommendation' },
  deep_brainstorm: { minutes: 60, leaves: 'a ranked list and a proposal' },
}

/**
 * A template in short: what it is if its name does not say it, who plays it, how long it takes, and what comes out.
 * How long a model or a script takes is unknown, as is how long a format takes that somebody has added: then it has the
 * number of stages.
 */
export function inShort(t: TemplateInfo): string[] {
  if (t.driver === 'scout')
    return [
      driverWords.scouts(scoutsOf(t), scoutsOf(t) < t.cast.length),
      driverWords.takes,
      'findings, quests and a report',
    ]
  const played = t.cast.filter((r) => r.played).length
  const open = t.cast.length - played
  const storm = BRAINSTORMS[t.id]
  return [
    storm && !/brainstorm/i.test(t.name) ? 'brainstorm' : '',
    played > 0 ? `a ${t.driver} plays ${played === t.cast.length ? 'all roles' : plural(played, 'role')}` : '',
    open > 0 ? `people play ${plural(open, 'role')}` : '',
    storm && open > 0 ? `about ${storm.minutes} minutes` : plural(t.stages.length, 'stage'),
    storm?.leaves ?? 'a text from each stage',
  ].filter(Boolean)
}

/** The number of scouts that read the folder. This excludes the Oracle, who only judges what they found. */
export function scoutsOf(t: TemplateInfo): number {
  return t.cast.filter((r) => r.id !== 'oracle').length
}
