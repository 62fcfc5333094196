// What a kind of conversation tells the page. Each kind is one folder that implements this; the panels ask the
// registry and name no kind. Whatever a kind leaves out is shown by the default presentation (default.ts).
import type { ComponentChildren, ComponentType } from 'preact'
import type { App } from '../app'
import type { CommandFrame } from '../net/outbox'
import type { Artifact, Conversation, ConversationView, Member, Message, Run } from '../net/protocol.gen'
import type { FoldRules } from '../state/kinds'
import type { Model, RealmModel } from '../state/model'

/** What people call a conversation. One kind may go by two names. */
interface Called {
  /** The handle of tests and styles (data-kind). */
  id: string
  word: string
}

export interface InView {
  view: ConversationView
  realm: RealmModel
}

/** A button of the head that sends a command. */
export interface Control {
  testid: string
  label: string
  hint?: string
  look: 'plain' | 'primary' | 'ghost'
  frame: CommandFrame
  /** Asked before the command is sent. */
  confirm?: { title: string; text: string; yes: string }
}

/** Members that were chosen, and what was written, in the dialog that begins a conversation. */
export interface StartDraft {
  chosen: readonly string[]
  /** The person at this page takes part. */
  self: boolean
  turns: number
}

export interface StartProps {
  realm: RealmModel
  draft: StartDraft
  onDraft: (change: (now: StartDraft) => StartDraft) => void
  /** The control that chooses what is begun: the form shows it first. */
  choice: ComponentChildren
  onBegun: () => void
  onDone: () => void
}

/** One entry of the dialog that begins a conversation. */
export interface Beginning {
  id: string
  /** In the list of what may be begun. */
  word: string
  /** Of the dialog. */
  title: string
  /** The dialog opens with it. */
  first?: boolean
  /** Nothing can be begun while no agent can be spoken to. */
  needsAgent: boolean
  Form: ComponentType<StartProps>
  /** The button beside an agent, on the map and in the roster; rank orders these buttons. */
  withAgent?: { testid: string; label: string; rank: number; act: (app: App, agentId: string) => void }
}

/** How a row differs from its content and its author. */
export interface RowLook {
  /** What is shown of the content. */
  text: string
  chips: { text: string; wrap?: boolean }[]
  /** Beside the name; "" for what every row shows there. */
  as: string
  /** The row has the name and the colour of a place in the team; who spoke from there is named beside it. */
  place: boolean
}

/** What the place to write hands to a kind, and what the kind adds to it. */
export interface ComposerUse extends InView {
  text: string
  /** Replaces the words and takes a problem away. */
  type: (next: string) => void
  setProblem: (problem: string) => void
  form: { readonly current: HTMLFormElement | null }
}

export interface ComposerParts {
  /** The person at this page is asked. */
  asked: boolean
  placeholder: string
  /** Why nothing can be sent just now; "" where it can. */
  busy?: string
  /** Ids of answers that go with the words. */
  choices?: readonly string[]
  above?: ComponentChildren
  below?: ComponentChildren
  onSent?: () => void
  /** Sees clicks and keys of the form before anybody else. */
  onTouch?: (e: Event) => void
}

export interface Kind extends FoldRules {
  /** Its name on the wire. */
  readonly name: string

  called?: (c: Conversation) => Called
  /** The word for how a conversation stands; "" for none. */
  statusWord?: (c: Conversation) => string
  /** The same in the list, where a word of every row would be noise. */
  listStatus?: (c: Conversation) => string
  /** What the list says after the status; "" for nothing. */
  listNote?: (c: Conversation) => string
  /** The person at this page is asked in it. */
  asks?: (m: Model, v: ConversationView) => boolean

  begins?: readonly Beginning[]

  /** The buttons stand beside the title because there is nothing to say of its members. */
  inline?: boolean
  /** The transcript is parted by stages, and its system rows stand out. */
  staged?: boolean
  /** Whether the status and its mark are shown in the head. */
  headStatus?: (at: InView) => string
  /** The whole title, where the head shows a part of it. */
  fullTitle?: (v: ConversationView) => string
  /** Whether the members are shown in the head. */
  showsMembers?: (at: InView, host: boolean) => boolean
  /** Short facts of the head. */
  facts?: (at: InView) => string[]
  /** Whether the head shows what the conversation is to do. */
  showsTask?: boolean
  /** What it waits for or how it ended; "" where the kind says it elsewhere. */
  standing?: (at: InView) => string
  controls?: (at: InView) => Control[]
  renamed?: boolean
  /** What the dialog that erases says besides. */
  eraseNote?: string

  /** Beside the status, before the facts, among the buttons, and below the head. */
  HeadNote?: ComponentType<InView>
  HeadLead?: ComponentType<InView>
  HeadTools?: ComponentType<InView>
  HeadMore?: ComponentType<InView>

  /** What an empty transcript says. */
  empty?: (c: Conversation) => string
  /** Whether "… is at work" is said where no row streams. */
  saysWork?: (v: ConversationView) => boolean
  /** The last run, where it came to nothing and may be taken again. */
  cutOff?: (v: ConversationView) => Run | null
  /** The hint of the button that stops a run. */
  stopHint?: string
  /** The line under the rows once it is over; "" for none. */
  overLine?: (v: ConversationView) => string
  /** Whether the place to write is under the rows. */
  speaks?: (at: InView) => boolean
  row?: (m: Message, text: string, at: InView & { member: Member | null }) => RowLook
  /** Answers that were chosen, as people read them. */
  choices?: (v: ConversationView | null, ids: readonly string[]) => string
  /** Under the rows: who is at work, then what the kind shows at the end. */
  Work?: ComponentType<InView>
  After?: ComponentType<InView>
  /** A hook: the place to write is mounted anew for each conversation. */
  useComposer?: (use: ComposerUse) => ComposerParts

  /** Beyond its conversations: what it leaves in the realm, an artifact's link, a dialog over the page. */
  Products?: ComponentType<{ realm: RealmModel }>
  OfArtifact?: ComponentType<{ realm: RealmModel; artifact: Artifact }>
  Over?: ComponentType<{ realm: RealmModel }>
}
