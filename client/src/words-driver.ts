// The texts about who plays a process, part of words.ts.
import type { TemplateInfo } from './net/protocol.gen'
import { join } from './words-format'

export const driverWords = {
  scout:
    'Scouts play these roles by themselves: they read the linked folder and say only what they can show. ' +
    'They use no model.',
  script: 'A script plays the roles that nobody takes.',
  model:
    'A model plays the roles that nobody takes. What it is told, and what it reads of a linked folder, ' +
    'goes to the address that this server was started with.',
  none:
    'Nothing plays these roles by itself. People play them: take one or several in the roster. The process ' +
    'waits at a role that nobody holds.',
  noFolder:
    'Scouts play these roles and need a linked folder. There is none here: choose a place with a ' +
    'folder, or link one first.',
  open: (names: string) => `Nothing plays ${names}: people take them.`,
  /** By the server's driver: why that driver plays no role of the template. */
  without: {
    scout:
      'This server was started without a model and without a script, which would play them (-model-url ' +
      'URL, -script FILE).',
    script: 'The script of this server does not play them.',
    model: 'The model of this server does not play them.',
    none: 'This server was started without a model, a script or scouts.',
  } as Record<string, string>,
}

/** driver: what plays roles on this server. folder: whether the process would have a linked folder. */
export function whoPlays(t: TemplateInfo, driver: string, folder: boolean): string {
  if (t.driver === 'none') return `${driverWords.none} ${driverWords.without[driver] ?? ''}`
  if (t.driver === 'scout' && !folder) return driverWords.noFolder
  const open = t.cast.filter((r) => !r.played).map((r) => r.name)
  return open.length === 0 ? driverWords[t.driver] : `${driverWords[t.driver]} ${driverWords.open(join(open))}`
}
