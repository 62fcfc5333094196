// The words for what the tools of agents do. Programs have different names for the same tool, and people read the same
// words. src/words.ts states the rules for texts.

/** What each tool does. The names are in lower case and without "_". */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  'run a command': ['bash', 'shell', 'shellcommand', 'localshell', 'execcommand', 'exec', 'runshellcommand'],
  'type into a command': ['writestdin'],
  'read the output of a command': ['bashoutput'],
  'stop a command': ['killshell', 'killbash'],
  'read a file': ['read', 'readfile', 'notebookread'],
  'read files': ['readmanyfiles'],
  'look at a picture': ['viewimage'],
  'write a file': ['write', 'writefile'],
  'edit a file': ['edit', 'multiedit', 'replace', 'notebookedit'],
  'edit files': ['applypatch', 'patch'],
  'list a folder': ['ls', 'list', 'listdir', 'listdirectory'],
  'find files': ['glob'],
  'search in files': ['grep', 'grepfiles', 'grepsearch', 'searchfilecontent'],
  'read a web page': ['webfetch'],
  'search the web': ['websearch', 'googlewebsearch'],
  'run a sub-agent': ['agent', 'task', 'spawnagent', 'invokeagent'],
  'wait for a sub-agent': ['waitagent'],
  'update its plan': ['todowrite', 'updateplan', 'writetodos'],
  'propose a plan': ['exitplanmode'],
  'ask a question': ['askuserquestion', 'requestuserinput', 'question', 'askuser'],
}

const acts = new Map(Object.entries(TOOLS).flatMap(([act, names]) => names.map((name) => [name, act])))

/** What a tool does, for example "run a command" for "Bash" and "exec_command"; "" for a tool that is not known. */
export function actOf(tool: string): string {
  // Codex writes the group of some of its tools before the name. The tools of MCP servers have names of their own.
  return (
    acts.get(
      tool
        .replace(/^multi_agent_v\d+\./, '')
        .replaceAll('_', '')
        .toLowerCase(),
    ) ?? ''
  )
}

/** What a tool does when it runs, for example "runs a command"; "" for a tool that is not known. */
export function doesOf(tool: string): string {
  return actOf(tool).replace(/^\w+/, (verb) => verb + (verb.endsWith('ch') ? 'es' : 's'))
}
