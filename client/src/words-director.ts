// The texts of the map's director, and of the marks on the country.
import type { Why } from './map/director/direct'
import { ago, count, plural } from './words-format'

export const directorWords = {
  /** The text of the button that gives the camera to the director. Phones hide the second part. */
  action: ['Follow', 'the action'],
  /**
   * The tooltip of the same button. on: the director moves the map. rest: the director is on, but nobody is at work.
   * off: the person moves the map.
   */
  actionHint: {
    on: 'The map shows what happens. Move it to look around by yourself.',
    rest: 'On, but at rest: nobody is at work. The map follows when somebody begins.',
    off: 'Let the map show what happens',
  },
  follow: (name: string) => `Follow ${name} on the map`,
  followed: (name: string) => `The map follows ${name}`,

  /** The text while the server is away. sentence: why the map showed the scene when the connection was lost. */
  lastSeen: (sentence: string) => `Last seen: ${sentence}`,

  /** The reason why the director shows a scene, as a sentence. */
  why({ kind, name, file }: Why): string {
    switch (kind) {
      case 'door':
        return `${name} waits for an answer`
      case 'found':
        return file ? `${name} found something in ${file}` : `${name} found something`
      case 'argues':
        return `${name} speaks in the council`
      case 'reads':
        return `${name} reads ${file}`
      case 'edits':
        return `${name} edits ${file}`
      case 'stands':
        return `${name} is at ${file}`
      case 'speaks':
        return `${name} speaks`
      case 'works':
        return `${name} is at work`
      case 'asked':
        return `Waits for ${name}`
      case 'comes':
        return `${name} walks to ${file}`
      case 'walks':
        return `${name} is on the way`
      case 'follows':
        return file ? `${name} is at ${file}` : name
      case 'left':
        return `${name} has left`
      case 'idle':
        return `${name} is idle`
      case 'rest':
        return 'Nobody is at work'
    }
  },

  second: 'A second scene',
  /** The button that shows the second scene in the main view. why: the reason, as a sentence. */
  showSecond: (why: string) => `Show on the map: ${why}`,
  closeSecond: 'Close the second scene for good; your preferences show it again',
  secondSetting: 'A second scene on the map',
  secondText: 'a small picture of a question that waits, a finding or an argument',

  /** Who looks at a file or a folder, for example "Ann, Ben and 2 more look at server". */
  look: (names: readonly string[], more: number, place: string) => {
    const all = more > 0 ? [...names, `${count(more)} more`] : names
    const who = all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : (all[0] ?? '')
    return `${who} ${all.length > 1 ? 'look' : 'looks'} at ${place}`
  },

  marks: 'What the houses show',
  /**
   * The text for the marks of a house, for example "client: 3 findings: 2 high, 1 medium; 3 files not committed".
   */
  mark: (name: string, facts: readonly string[]) => `${name}: ${facts.join('; ')}`,
  findings: (severities: readonly (readonly [string, number])[]) => {
    const total = severities.reduce((n, [, k]) => n + k, 0)
    return `${plural(total, 'finding')}: ${severities.map(([s, n]) => `${count(n)} ${s}`).join(', ')}`
  },
  uncommitted: (n: number) => `${plural(n, 'file')} not committed`,
  old: (touched: string, now: number) => `last commit ${ago(touched, now)}`,
  toFindings: 'Enter shows the findings',
  toRoom: 'Enter goes in',

  speed: 'Speech on the map',
  speeds: { slow: 'Slow', normal: 'Normal', fast: 'Fast' } as const,
  speedText: '4, 5 or 6 words a second. What does not fit is in the conversation.',
} as const
