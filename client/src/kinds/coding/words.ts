// The texts of sessions of coding agents. src/words.ts states the rules for texts.
export const codingWords = {
  name: 'Session',
  prompt: 'Prompt',
  waits: 'waits for you',
  emptyTranscript: 'What is asked and done in it appears here.',
  elsewhere: (program: string) => `This session runs in ${program}. Prompts are typed there.`,
  over: (program: string) => `This session is over. It stays here to read, and goes on here if ${program} resumes it.`,
  failed: (program: string) =>
    `This session is over, and its last turn failed. It stays here to read, and goes on here if ${program} resumes it.`,
  lost: (program: string) =>
    `${program} stopped without ending this session. If it is resumed there, it goes on here too.`,
  /** Introduces the command that resumes the session. */
  resume: 'Resume it in its folder:',
  copy: 'Copy',
  anywhere: 'its own program',
  summary: 'Summary',
  summaryHint: 'What this session has done: files, tests, commands, prompts and cost',
  summaryLoading: 'The session is being read …',
  summaryFailed: (why: string) => (why === '' ? 'The summary cannot be read.' : `The summary cannot be read: ${why}.`),
  summaryCopy: 'Copy as Markdown',
  summaryDownload: 'Download',
  /** One file of a patch; what is the word of the patch. */
  patch: (what: string, name: string) => {
    if (what === 'Add File') return `add ${name}`
    if (what === 'Delete File') return `delete ${name}`
    return what === 'Move to' ? `move to ${name}` : name
  },
  planDone: (done: number, all: number) => `${done} of ${all} done`,
}
