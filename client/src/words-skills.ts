// What the members of the code review are good at, in a few words each. Part of words.ts.

/** What each member is good at, by the id of its role in the template code_review. */
export const goodAt: Readonly<Record<string, string>> = {
  architect: 'structure, and what depends on what',
  sentinel: 'security: secrets and ways in',
  archaeologist: 'history: what is old, and what changes often',
  cartographer: 'the way around: what is where',
  alchemist: 'speed and resources',
  healer: 'errors, and what happens then',
  sage: 'tests',
  warden: 'promises to users: interfaces and versions',
  scout: 'dependencies',
  bard: 'documents, and first questions',
  oracle: 'weighing what the others found',
}

/** For each driver, the sentence that says, before a conversation begins, who will answer in it. */
export const answeredBy: Readonly<Record<string, string>> = {
  scout: 'Scouts answer with facts that they read in this folder. They use no language model.',
  script: 'A script answers. It uses no language model.',
  model: 'A language model answers. What it is told, and what it reads of a linked folder, goes to its address.',
}
