// The texts about who plays a process, part of words.ts.
import type { TemplateInfo } from './net/protocol.gen'
import { join } from './words-format'

export const driverWords = {
  scout:
    'Scouts play it by themselves: they read the folder and report only what they can show. They use no ' +
    'language model.',
  script: 'A script plays the roles that nobody takes.',
  model:
    'A model plays the roles that nobody takes. What it is told, and what it reads of a linked folder, ' +
    'goes to the address that this server was started with.',
  none: 'People play it: take one or several roles in the roster. The process waits at a role that nobody ' + 'holds.',
  noFolder: 'Scouts play it, and they need a repository. Choose one above, or link a folder first.',
  open: (names: string) => `People play ${names}.`,
  /** By the server's driver: why that driver plays no role of the template. */
  without: {
    scout: 'A model or a script can play it if the server is started with -model-url URL or -script FILE.',
    script: 'This server’s script does not play it.',
    model: 'This server’s model does not play it.',
    none: 'This server has no model, script or scouts.',
  } as Record<string, string>,
}

/** driver: what plays roles on this server. folder: whether the process would have a linked folder. */
export function whoPlays(t: TemplateInfo, driver: string, folder: boolean): string {
  if (t.driver === 'none') return `${driverWords.none} ${driverWords.without[driver] ?? ''}`
  if (t.driver === 'scout' && !folder) return driverWords.noFolder
  const open = t.cast.filter((r) => !r.played).map((r) => r.name)
  return open.length === 0 ? driverWords[t.driver] : `${driverWords[t.driver]} ${driverWords.open(join(open))}`
}
