// Bare measures for scripts/bench what the machine can do: its servers do the necessary minimum and nothing else. It uses
// no JSON and no other package of this project; it sends stored bytes or the bytes that senders pass to it.
//
//	bare -addr A -http         answers /healthz, like the smallest Go server does, and on /ws
//	                           each text message N with one message of N stored bytes
//	bare -addr A [-sync FILE] [-file FILE]
//
// The second form speaks raw TCP. The first byte of a connection selects its kind:
//
//	R  a reader: gets one byte at once, and then every piece that a sender sends
//	S  a sender: sends pieces, each as its length (4 bytes, big endian) and its bytes
//	G  a client that asks for bytes: sends lengths (4 bytes, big endian), and gets as many stored bytes for each
//
// The stored bytes are the file of -file, which the server reads at its start. The server writes every piece to every
// reader in a separate write. With -sync it first appends the piece to the file of -sync and syncs this file.
// Scripts/bench starts and kills the server.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
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
		http.HandleFunc("/ws", func(w http.ResponseWriter, r *http.Request) { report(s.socket(w, r)) })
		return http.Serve(l, nil)
	}
	if file != "" {
		if s.stored, err = os.ReadFile(file); err != nil {
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
		go func() { report(errors.Join(s.serve(c), c.Close())) }()
	}
}

// report prints what ended a connection, unless its client closed it.
func report(err error) {
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "bare: connection:", err)
	}
}

type server struct {
	stored []byte
	log    *os.File

	mu     sync.Mutex
	next   int
	shards []*shard
}

// shard is a share of the readers. There is one shard for each core, with one goroutine that writes to its readers. A
// goroutine for each reader would have to be woken for each piece, which is not part of the minimum.
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

// serve answers one raw connection until its client closes it.
func (s *server) serve(c net.Conn) error {
	var kind [1]byte
	if _, err := io.ReadFull(c, kind[:]); err != nil {
		return err
	}
	answer := s.give
	switch kind[0] {
	case 'R':
		return s.reader(c)
	case 'S':
		answer = s.pass
	}
	for r := bufio.NewReaderSize(c, 64<<10); ; {
		var head [4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		if err := answer(c, r, int(binary.BigEndian.Uint32(head[:]))); err != nil {
			return err
		}
	}
}

// reader lets a client read all pieces until it closes its connection.
func (s *server) reader(c net.Conn) error {
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
	return err
}

// pass reads a piece of n bytes and gives it to all shards.
func (s *server) pass(_ net.Conn, r io.Reader, n int) error {
	piece := make([]byte, n)
	if _, err := io.ReadFull(r, piece); err != nil {
		return err
	}
	if s.log != nil {
		if _, err := s.log.Write(piece); err != nil {
			return err
		}
		if err := s.log.Sync(); err != nil {
			return err
		}
	}
	for _, sh := range s.shards {
		sh.pieces <- piece
	}
	return nil
}

// give sends n stored bytes.
func (s *server) give(c net.Conn, _ io.Reader, n int) error {
	for n > 0 {
		k, err := c.Write(s.stored[:min(n, len(s.stored))])
		if err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// socket answers the messages of one WebSocket until its client closes it.
func (s *server) socket(w http.ResponseWriter, r *http.Request) error {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return err
	}
	defer c.CloseNow()
	for {
		_, p, err := c.Read(r.Context())
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(p))
		if err != nil || n < 0 || n > len(s.stored) {
			return fmt.Errorf("the client asks for %q bytes, not for a number up to %d", p, len(s.stored))
		}
		if err := c.Write(r.Context(), websocket.MessageText, s.stored[:n]); err != nil {
			return err
		}
	}
}
