package structure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// graph is a directed graph of imports. names has the nodes; edges has the indexes of the nodes that each node imports.
type graph struct {
	names []string
	index map[string]int
	edges [][]int
}

// newGraph returns a graph without edges whose nodes are the keys of a map, sorted.
func newGraph[T any](nodes map[string]T) *graph {
	names := slices.Sorted(maps.Keys(nodes))
	g := &graph{names: names, index: make(map[string]int, len(names)), edges: make([][]int, len(names))}
	for i, n := range names {
		g.index[n] = i
	}
	return g
}

// add adds an edge. It does nothing if one of the names is not in the graph.
func (g *graph) add(from, to string) {
	a, ok := g.index[from]
	b, found := g.index[to]
	if ok && found && a != b && !slices.Contains(g.edges[a], b) {
		g.edges[a] = append(g.edges[a], b)
	}
}

// circles returns the strongly connected components with at least two nodes, sorted. It uses Tarjan's algorithm without
// recursion, because a chain of imports may be as long as the repository.
func (g *graph) circles() [][]int {
	n := len(g.names)
	num, low := make([]int, n), make([]int, n)
	on := make([]bool, n)
	var stack []int
	var out [][]int
	type frame struct{ node, next int }
	count := 0
	for root := range n {
		if num[root] != 0 {
			continue
		}
		work := []frame{{node: root}}
		for len(work) > 0 {
			f := &work[len(work)-1]
			v := f.node
			if f.next == 0 {
				count++
				num[v], low[v] = count, count
				stack, on[v] = append(stack, v), true
			}
			if f.next < len(g.edges[v]) {
				w := g.edges[v][f.next]
				f.next++
				if num[w] == 0 {
					work = append(work, frame{node: w})
				} else if on[w] {
					low[v] = min(low[v], num[w])
				}
				continue
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				up := work[len(work)-1].node
				low[up] = min(low[up], low[v])
			}
			if low[v] != num[v] {
				continue
			}
			i := slices.Index(stack, v)
			set := slices.Clone(stack[i:])
			stack = stack[:i]
			for _, w := range set {
				on[w] = false
			}
			if len(set) > 1 {
				slices.Sort(set)
				out = append(out, set)
			}
		}
	}
	slices.SortFunc(out, func(a, b []int) int { return a[0] - b[0] })
	return out
}

// maxStarts is the maximum number of nodes of a component from which shortest starts a search.
const maxStarts = 50

// shortest returns the nodes of a short cycle in a component that circles returned, without repeating the first node at
// the end. The cycle is the shortest one that goes through one of the first maxStarts nodes of the component.
func (g *graph) shortest(set []int) []int {
	in := map[int]bool{}
	for _, v := range set {
		in[v] = true
	}
	var best []int
	for _, start := range set[:min(len(set), maxStarts)] {
		from := map[int]int{start: start}
		queue := []int{start}
	search:
		for len(queue) > 0 {
			v := queue[0]
			queue = queue[1:]
			for _, w := range g.edges[v] {
				if w == start {
					way := []int{v}
					for v != start {
						v = from[v]
						way = append(way, v)
					}
					slices.Reverse(way)
					if best == nil || len(way) < len(best) {
						best = way
					}
					break search
				}
				if _, seen := from[w]; in[w] && !seen {
					from[w] = v
					queue = append(queue, w)
				}
			}
		}
		if len(best) == 2 {
			break
		}
	}
	return best
}

// way returns a cycle of a component as text: "a imports b imports a".
func (g *graph) way(set, ring []int, what string) string {
	var names []string
	for _, v := range ring {
		names = append(names, cmp.Or(g.names[v], "the root folder"))
	}
	text := strings.Join(append(names, names[0]), " imports ")
	if len(set) > len(ring) {
		text += fmt.Sprintf(" (the shortest way round; %d %s hang together)", len(set), what)
	}
	return text
}
