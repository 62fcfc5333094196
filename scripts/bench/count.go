package main

import "bytes"

// counter finds a mark in a stream that comes in pieces.
type counter struct {
	mark []byte
	tail []byte // the end of what came before, shorter than the mark
}

// add gives how often the mark ends in chunk.
func (c *counter) add(chunk []byte) int {
	n := 0
	if len(c.tail) > 0 {
		// Across the border: what is left of the old and as much of the new as one
		// mark could reach.
		edge := append(c.tail, chunk[:min(len(chunk), len(c.mark)-1)]...)
		n += bytes.Count(edge, c.mark)
		c.tail = edge[:0]
		if len(chunk) < len(c.mark)-1 {
			c.tail = append(c.tail, edge[max(0, len(edge)-len(c.mark)+1):]...)
			return n
		}
	}
	n += bytes.Count(chunk, c.mark)
	c.tail = append(c.tail[:0], chunk[max(0, len(chunk)-len(c.mark)+1):]...)
	return n
}
