// The texts of artifacts and of the screen of a completed process, part of words.ts.
import { count, plural } from './words-format'

export const resultWords = {
  artifacts: {
    title: 'Artifacts',
    /** The names of artifacts whose ids do not say to a reader what they are; those of others are their ids. */
    named: { synthesis_output: 'Recommendation' } as Record<string, string>,
    ofStages: 'Artifacts of stages',
    empty: 'No artifacts yet.',
    emptyNext: 'Each stage of a process writes one when it ends.',
    by: (name: string) => `by ${name}`,
    cut: 'Shortened. The transcript has the whole text.',
    /** The author in `by`, if a person played the role. */
    personAs: (person: string, role: string) => `${person} as ${role}`,
    copy: 'Copy',
    none: 'No text.',
    earlier: 'An earlier process',
    toTalk: 'Read its conversation',
    inResult: (name: string) => `${name}: it is open as the result.`,
  },

  completion: {
    title: 'Finished',
    text: (findings: number, suspected: number) => {
      const doubted = suspected > 0 ? `, ${count(suspected)} suspected` : ''
      return findings === 0 && suspected > 0 ? `nothing proved${doubted}` : plural(findings, 'finding') + doubted
    },
    /** In place of the number of findings. */
    overtaken: 'a later review has taken over the findings',
    toFindings: 'Show the findings',
    toSuspected: 'Show what is suspected',
    toMap: 'Back to the map',
    others: (n: number) => (n === 1 ? 'One more artifact' : `${count(n)} more artifacts`),
    copy: 'Copy as Markdown',
    copyLink: 'Copy the link to this result',
    again: 'Start another',
    problem: 'Problem',
    nothing: 'No stage had ended, so there is no text. What was said is in the talk.',
    /** In place of `nothing`, before what was said. */
    onlySaid: 'No stage had ended. This was said until then.',
  },
} as const
