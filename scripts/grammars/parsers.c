// The functions that server/syntax calls: they parse a text with tree-sitter and write its tree as an array of nodes.
// The module has no other state than one parser and one array; it imports nothing that can reach files or the network.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "tree_sitter/api.h"

#define EXPORT(name) __attribute__((export_name(name)))

const TSLanguage *tree_sitter_javascript(void);
const TSLanguage *tree_sitter_typescript(void);
const TSLanguage *tree_sitter_tsx(void);
const TSLanguage *tree_sitter_python(void);

// The order is that of the constants of server/syntax.
static const TSLanguage *language(uint32_t n) {
  switch (n) {
  case 0: return tree_sitter_javascript();
  case 1: return tree_sitter_typescript();
  case 2: return tree_sitter_tsx();
  default: return tree_sitter_python();
  }
}

// node is a node of a tree. The nodes of a subtree follow each other; size is their number.
typedef struct {
  uint16_t kind, field;
  uint32_t start, end, size;
} node;

enum { missing = 0xfffe }; // the kind of a node that the text lacks; 0xffff is the kind of an error

static TSParser *parser;
static node *nodes;
static uint32_t count, capacity;

EXPORT("allocate") void *allocate(uint32_t size) { return malloc(size); }
EXPORT("release") void release(void *p) { free(p); }

EXPORT("kinds") uint32_t kinds(uint32_t l) { return ts_language_symbol_count(language(l)); }
EXPORT("kind") const char *kind(uint32_t l, uint32_t k) { return ts_language_symbol_name(language(l), k); }
EXPORT("named") uint32_t named(uint32_t l, uint32_t k) {
  return ts_language_symbol_type(language(l), k) == TSSymbolTypeRegular;
}
EXPORT("fields") uint32_t fields(uint32_t l) { return ts_language_field_count(language(l)); }
EXPORT("field") const char *field(uint32_t l, uint32_t f) { return ts_language_field_name_for_id(language(l), f); }

// steps is the number of basic blocks of tree-sitter's core that a call may still run. The compiler adds a call of
// __sanitizer_cov_trace_pc to each block of core.o. Some broken texts cost the parser a time that grows with the square
// of their length. A limit of time would give other results on a busy machine, and one of the parser's operations would
// not help, because single operations become slow. The trap ends the instance.
static uint64_t steps = UINT64_MAX;
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  if (steps-- == 0) __builtin_trap();
}
static bool push(node n) {
  if (count == capacity) {
    uint32_t more = capacity ? 2 * capacity : 4096;
    node *p = realloc(nodes, more * sizeof(node));
    if (!p) return false;
    nodes = p;
    capacity = more;
  }
  nodes[count++] = n;
  return true;
}

// keeps tells which nodes the array has: named ones, those with a field, and words. Other punctuation says nothing that
// the kind of its parent does not say.
static bool keeps(TSNode n, uint16_t of) {
  if (ts_node_is_named(n) || of) return true;
  char c = ts_node_type(n)[0];
  return c >= 'a' && c <= 'z';
}

enum { deepest = 1024 }; // children of deeper nodes are left out

// flatten writes the tree into nodes. It returns 1 if it left out children, 0 if not, and -1 without memory.
static int flatten(TSTree *tree, uint32_t most) {
  int cut = 0;
  uint32_t parents[deepest];
  uint32_t depth = 0;
  count = 0;
  TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (;;) {
    TSNode n = ts_tree_cursor_current_node(&c);
    uint16_t of = ts_tree_cursor_current_field_id(&c);
    bool kept = depth == 0 || keeps(n, of);
    if (kept) {
      uint16_t k = ts_node_is_missing(n) ? missing : ts_node_symbol(n);
      node one = {k, of, ts_node_start_byte(n), ts_node_end_byte(n), 1};
      if (!push(one)) {
        cut = -1;
        break;
      }
      bool full = depth == deepest || count >= most;
      if (full && ts_node_child_count(n) > 0) cut = 1;
      if (!full && ts_tree_cursor_goto_first_child(&c)) {
        parents[depth++] = count - 1;
        continue;
      }
    }
    while (count >= most || !ts_tree_cursor_goto_next_sibling(&c)) {
      if (count >= most && depth > 0) cut = 1;
      if (depth == 0 || !ts_tree_cursor_goto_parent(&c)) goto done;
      depth--;
      nodes[parents[depth]].size = count - parents[depth];
    }
  }
done:
  ts_tree_cursor_delete(&c);
  return cut;
}

// parse parses size bytes of text in at most budget steps and leaves the tree in nodes. It returns the number of nodes,
// 0 without memory. The highest bit is set if the tree has more nodes than most, or is deeper than deepest.
EXPORT("parse") uint32_t parse(uint32_t l, const char *text, uint32_t size, uint64_t budget, uint32_t most) {
  steps = budget;
  if (!parser) parser = ts_parser_new();
  ts_parser_set_language(parser, language(l));
  TSTree *tree = ts_parser_parse_string(parser, NULL, text, size);
  if (!tree) return 0;
  int cut = flatten(tree, most);
  ts_tree_delete(tree);
  return cut < 0 ? 0 : count | (cut ? 1u << 31 : 0);
}

EXPORT("tree") node *tree(void) { return nodes; }
