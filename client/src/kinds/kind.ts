// The interface between the page and a kind of conversation. Each kind implements it in a folder of its own. Panels get
// kinds from the registry and contain no kind's name. default.ts fills in what a kind leaves out.
import type { ComponentChildren, ComponentType } from 'preact'
import type { App } from '../app'
import type { CommandFrame } from '../net/outbox'
import type { Artifact, Conversation, ConversationView, Member, Message, Run } from '../net/protocol.gen'
import type { FoldRules } from '../state/kinds'
import type { Model, RealmModel } from '../state/model'

/** The name of a kind as people read it. A kind can have two names, such as council and task. */
interface KindLabel {
  /** The data-kind attribute, which tests and styles use. */
  id: string
  word: string
}

export interface ConversationProps {
  view: ConversationView
  realm: RealmModel
}

/** A button in the head of a conversation that sends a command. */
export interface Control {
  testid: string
  label: string
  hint?: string
  look: 'plain' | 'primary' | 'ghost'
  frame: CommandFrame
  /** The question to ask before the command is sent. */
  confirm?: { title: string; text: string; yes: string }
}

/** The choices in the dialog that starts a conversation. They stay when the person chooses another kind. */
export interface StartDraft {
  chosen: readonly string[]
  /** Whether the person at this page takes part. */
  self: boolean
  turns: number
}

export interface StartProps {
  realm: RealmModel
  draft: StartDraft
  onDraft: (change: (now: StartDraft) => StartDraft) => void
  /** The select that chooses the kind. Every form shows it before its own fields. */
  choice: ComponentChildren
  onStarted: () => void
  onDone: () => void
}

/** An entry of the dialog that starts a conversation. */
export interface StartOption {
  id: string
  /** The text of the entry in the select. */
  word: string
  /** Whether this is the default entry. */
  first?: boolean
  /** Whether the option is disabled while no driver plays an agent. */
  needsAgent: boolean
  Form: ComponentType<StartProps>
  /** The kind's button on an agent, on the map and in the roster. rank orders the buttons of all kinds. */
  withAgent?: { testid: string; label: string; rank: number; act: (app: App, agentId: string) => void }
}

/** How a row is shown, where that differs from its content and author. */
export interface RowDisplay {
  /** The part of the row's content that is shown. */
  text: string
  chips: { text: string; wrap?: boolean }[]
  /** Whether the text is shown letter by letter, without Markdown: what a person typed into a program. */
  exact?: boolean
  /** A note beside the author's name; "" if the author's role is shown there. */
  as: string
  /** The name of the author, if the page shows another name than the row's own; "" or absent for the row's own. */
  name?: string
  /** Whether the author is shown by the name of the person who wrote the row, if that person watches the realm. */
  bySpeaker?: boolean
}

/** What a kind gets of the composer: its text, its form, and functions that change them. */
export interface ComposerInput extends ConversationProps {
  text: string
  /** Replaces the text and clears the problem. */
  type: (next: string) => void
  setProblem: (problem: string) => void
  form: { readonly current: HTMLFormElement | null }
}

export interface ComposerParts {
  /** Whether the conversation waits for the person at this page. */
  asked: boolean
  placeholder: string
  /** The text that says why the composer cannot send now; "" if it can. */
  busy?: string
  /** Ids of chosen options to send with the text. */
  choices?: readonly string[]
  /** The text that is sent for what the person has typed; the same text without this function. */
  sent?: (said: string) => string
  above?: ComponentChildren
  below?: ComponentChildren
  onSent?: () => void
  /** Called for each click and key press in the form, in the capture phase. */
  onTouch?: (e: Event) => void
}

export interface Kind extends FoldRules {
  /** The kind's name on the wire. */
  readonly name: string

  label?: (c: Conversation) => KindLabel
  /** The status as a word; "" for none. */
  statusWord?: (c: Conversation) => string
  /** The status as a word for the list; "" for a usual status, because a word in every row is noise. */
  listStatus?: (c: Conversation) => string
  /** What the list shows after the status; "" for nothing. */
  listNote?: (c: Conversation) => string
  /** Whether it is the turn of the person at this page. */
  isMyTurn?: (m: Model, v: ConversationView) => boolean
  /** The mark and the word in the list while the conversation waits for the person at this page. */
  waits?: { mark: 'reading' | 'waiting'; word: string }
  /**
   * The people for whom the conversation waits while no agent is at work, as names; "" for nobody. It is shown to
   * everybody but the person for whom the conversation waits.
   */
  waitsFor?: (m: Model, v: ConversationView) => string
  /** Whether somebody is at work although no run is in progress. */
  isRunning?: (m: Model, v: ConversationView) => boolean
  /** Whether the conversation is live. The list shows the live conversations above the others. */
  isLive?: (c: Conversation) => boolean

  startOptions?: readonly StartOption[]

  /** Whether the buttons of the head are beside the title. If so, the head shows neither members nor facts. */
  buttonsBesideTitle?: boolean
  /** Whether the transcript has a line at the beginning of each stage, and conspicuous system rows. */
  staged?: boolean
  /** The tooltip of the status. The tooltip can be longer than the status. */
  headStatus?: (at: ConversationProps) => string
  /** The tooltip of the title, which may be longer than the title. */
  fullTitle?: (at: ConversationProps) => string
  /** Whether the head of the conversation shows the members. */
  showsMembers?: (at: ConversationProps, host: boolean) => boolean
  /** Short facts in the head of the conversation, as texts. host: whether the person at this page is a host. */
  facts?: (at: ConversationProps, host: boolean) => string[]
  /** Whether the head of the conversation shows the task. */
  showsTask?: boolean
  /** What the conversation waits for, or how it ended; "" for none. */
  statusLine?: (at: ConversationProps, host: boolean) => string
  controls?: (at: ConversationProps) => Control[]
  canRename?: boolean
  /** An additional sentence in the erase dialog. */
  eraseNote?: string

  /** A component beside the status in the head of the conversation. */
  HeadNote?: ComponentType<ConversationProps>
  /** A component in the head of the conversation, before the members and the facts. */
  HeadLead?: ComponentType<ConversationProps>
  /** A component among the buttons in the head of the conversation. */
  HeadTools?: ComponentType<ConversationProps>
  /** A component in the head of the conversation, below the task. */
  HeadMore?: ComponentType<ConversationProps>

  /** The text of an empty transcript. */
  empty?: (c: Conversation) => string
  /** Whether "… is at work" is shown while no row streams. */
  showsWork?: (v: ConversationView) => boolean
  /** The last run, if it failed or was cut off and can be retried. */
  retryableRun?: (v: ConversationView) => Run | null
  /** The tooltip of the button that stops a run. */
  stopHint?: string
  /** The line under the rows of an ended conversation; "" for none. */
  endLine?: (v: ConversationView) => string
  /** Whether there is a composer under the rows. */
  canWrite?: (at: ConversationProps) => boolean
  /** Whether the conversation has a text box of its own. If so, the page's text box is hidden. */
  hasBox?: (at: ConversationProps, m: Model) => boolean
  /** Whether the rows name files of what is made here, and not of the linked folder. Such names are no links. */
  ownFiles?: boolean
  row?: (m: Message, text: string, at: ConversationProps & { member: Member | null; model: Model }) => RowDisplay
  /** A tool call in a few words, from the tool's input. */
  toolBrief?: (input: string) => string
  /** The text that a pending message shows for the ids of chosen options. */
  choices?: (v: ConversationView | null, ids: readonly string[]) => string
  /** The component under the rows that shows who is at work. */
  Work?: ComponentType<ConversationProps>
  /** A component under Work, such as a notice or the result of the conversation. */
  RowsEnd?: ComponentType<ConversationProps>
  /**
   * A hook that returns the kind's parts of the composer. Its state belongs to one conversation, because the page
   * mounts a new composer for each.
   */
  useComposer?: (use: ComposerInput) => ComposerParts

  /** A component of the artifacts tab that shows what conversations of this kind have produced. */
  Products?: ComponentType<{ realm: RealmModel }>
  /** A link on the card of each artifact. */
  ArtifactLink?: ComponentType<{ realm: RealmModel; artifact: Artifact }>
  /** A dialog over the game screen. */
  Overlay?: ComponentType<{ realm: RealmModel }>
}
