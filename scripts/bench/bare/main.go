// Bare measures for scripts/bench what the machine can do: its servers do the necessary minimum
// and nothing else. It uses no JSON and no other package of this project; it sends stored bytes
// or the bytes that senders pass to it.
//
//	bare -addr A -http         answers /healthz, like the smallest Go server does, and on /ws
//	                           each text message N with one message of N stored bytes
//	bare -addr A [-sync FILE] [-file FILE]
//
// The second form speaks raw TCP. The first byte of a connection selects its kind:
//
//	R  a reader: is answered one byte, then gets everything that senders send
//	S  a sender: length (4 bytes, big endian) and bytes, again and again
//	G  asks for bytes: a length each time, and gets as many stored ones
//	F  gets the whole of FILE, which was read at the start, once
//
// Every piece is a write of its own to each reader. -sync appends each piece to FILE
// and syncs it before it is sent on. Scripts/bench starts and kills it.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"

	"github.com/coder/websocket"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "where to listen")
	web := flag.Bool("http", false, "the smallest HTTP server")
	syncTo := flag.String("sync", "", "`file` to append each piece to, synced, before it is sent")
	file := flag.String("file", "", "`file` to read at the start and send")
	flag.Parse()
	if err := run(*addr, *web, *syncTo, *file); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

func run(addr string, web bool, syncTo, file string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Println("open:", l.Addr())
	s := &server{stored: make([]byte, 1<<20)}
	if web {
		http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
		http.HandleFunc("/ws", s.socket)
		return http.Serve(l, nil)
	}
	if file != "" {
		if s.whole, err = os.ReadFile(file); err != nil {
			return err
		}
	}
	if syncTo != "" {
		if s.log, err = os.OpenFile(syncTo, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return err
		}
	}
	for range runtime.NumCPU() {
		sh := &shard{pieces: make(chan []byte, 4096)}
		s.shards = append(s.shards, sh)
		go sh.write()
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go s.serve(c)
	}
}

type server struct {
	stored []byte
	whole  []byte
	log    *os.File

	mu     sync.Mutex
	next   int
	shards []*shard
}

// shard is a share of the readers: one goroutine for each core writes to its own,
// because waking a goroutine for each reader is not part of the minimum.
type shard struct {
	mu      sync.Mutex
	readers []net.Conn
	pieces  chan []byte // bounded: a full channel makes the sender wait
}

func (sh *shard) write() {
	for piece := range sh.pieces {
		sh.mu.Lock()
		for _, c := range sh.readers {
			if _, err := c.Write(piece); err != nil {
				c.Close() // later writes to c fail at once
			}
		}
		sh.mu.Unlock()
	}
}

func (s *server) serve(c net.Conn) {
	defer c.Close()
	var kind [1]byte
	if _, err := io.ReadFull(c, kind[:]); err != nil {
		return
	}
	switch kind[0] {
	case 'R':
		s.reader(c)
	case 'S':
		s.sender(c)
	case 'G':
		s.give(c)
	case 'F':
		if _, err := c.Write(s.whole); err != nil {
			fmt.Fprintln(os.Stderr, "bare: send the file:", err)
		}
	}
}

func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered with the error
	}
	defer c.CloseNow()
	for {
		_, p, err := c.Read(r.Context())
		if err != nil {
			return
		}
		n, err := strconv.Atoi(string(p))
		if err != nil || n < 0 || n > len(s.stored) {
			fmt.Fprintf(os.Stderr, "bare: the client asks for %q bytes, not for a number up to %d\n", p, len(s.stored))
			return
		}
		if err := c.Write(r.Context(), websocket.MessageText, s.stored[:n]); err != nil {
			return
		}
	}
}

func (s *server) reader(c net.Conn) {
	s.mu.Lock()
	sh := s.shards[s.next%len(s.shards)]
	s.next++
	s.mu.Unlock()
	sh.mu.Lock()
	_, err := c.Write([]byte{'k'})
	if err == nil {
		sh.readers = append(sh.readers, c)
	}
	sh.mu.Unlock()
	var one [1]byte
	for err == nil { // a goroutine for each connection, as in any server; it ends with the connection
		_, err = c.Read(one[:])
	}
}

func (s *server) sender(c net.Conn) {
	r := bufio.NewReaderSize(c, 64<<10)
	var head [4]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		piece := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(r, piece); err != nil {
			return
		}
		if s.log != nil {
			if _, err := s.log.Write(piece); err != nil {
				fmt.Fprintln(os.Stderr, "bare: append a piece to the log:", err)
				return
			}
			if err := s.log.Sync(); err != nil {
				fmt.Fprintln(os.Stderr, "bare: sync the log:", err)
				return
			}
		}
		for _, sh := range s.shards {
			sh.pieces <- piece
		}
	}
}

func (s *server) give(c net.Conn) {
	var head [4]byte
	for {
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		for n := int(binary.BigEndian.Uint32(head[:])); n > 0; {
			k, err := c.Write(s.stored[:min(n, len(s.stored))])
			if err != nil {
				return
			}
			n -= k
		}
	}
}
