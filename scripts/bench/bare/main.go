// Bare measures for scripts/bench what the machine can do: its servers do the necessary minimum and nothing else.
// It uses no JSON and no other package of this project; it sends stored bytes or the bytes that senders pass to it.
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
// The stored bytes are the content of the file of -file, which the server reads at its start. The server writes
// every piece to every reader in a separate write. With -sync it first appends the piece to the file of -sync and
// syncs this file. Scripts/bench starts and kills the server. The server ignores a failed connection, because the
// client notices it.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/coder/websocket"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "where to listen")
	web := flag.Bool("http", false, "the smallest HTTP server")
	syncTo := flag.String("sync", "", "`file` to append each piece to, synced, before it is sent")
	file := flag.String("file", "", "`file` to read at the start and send")
	flag.Parse()
	l := get(net.Listen("tcp", *addr))
	fmt.Println("open:", l.Addr())
	s := &server{stored: make([]byte, 1<<20)}
	if *web {
		http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
		http.HandleFunc("/ws", s.socket)
		log.Fatal(http.Serve(l, nil))
	}
	if *file != "" {
		s.stored = get(os.ReadFile(*file))
	}
	if *syncTo != "" {
		s.log = get(os.OpenFile(*syncTo, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
	}
	for range runtime.NumCPU() {
		sh := &shard{pieces: make(chan []byte, 4096)}
		s.shards = append(s.shards, sh)
		go sh.write()
	}
	for {
		c := get(l.Accept())
		go s.serve(c)
	}
}

// get returns v, or ends the program if err is not nil.
func get[T any](v T, err error) T {
	if err != nil {
		log.Fatal("bare: ", err)
	}
	return v
}

type server struct {
	stored []byte
	log    *os.File
	shards []*shard
	next   atomic.Int64 // number of readers so far
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

// serve answers one raw TCP connection until its client closes it.
func (s *server) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 64<<10)
	kind, err := r.ReadByte()
	if kind == 'R' {
		s.reader(c)
		return
	}
	answer := s.give
	if kind == 'S' {
		answer = s.pass
	}
	for n := uint32(0); err == nil; err = answer(c, r, int(n)) {
		if err := binary.Read(r, binary.BigEndian, &n); err != nil {
			return
		}
	}
}

// reader lets a client read all pieces until it closes its connection.
func (s *server) reader(c net.Conn) {
	sh := s.shards[int(s.next.Add(1))%len(s.shards)]
	sh.mu.Lock()
	_, err := c.Write([]byte{'k'})
	sh.readers = append(sh.readers, c)
	sh.mu.Unlock()
	for one := [1]byte{}; err == nil; { // a goroutine for each connection, as in any server
		_, err = c.Read(one[:])
	}
}

// pass reads a piece of n bytes and passes it to all shards.
func (s *server) pass(_ net.Conn, r io.Reader, n int) error {
	piece := make([]byte, n)
	if _, err := io.ReadFull(r, piece); err != nil {
		return err
	}
	if s.log != nil {
		get(s.log.Write(piece))
		get(0, s.log.Sync())
	}
	for _, sh := range s.shards {
		sh.pieces <- piece
	}
	return nil
}

// give sends n of the stored bytes to a client that has asked for them.
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
func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	for {
		_, p, err := c.Read(r.Context())
		if err != nil {
			return
		}
		n := get(strconv.Atoi(string(p)))
		if c.Write(r.Context(), websocket.MessageText, s.stored[:n]) != nil {
			return
		}
	}
}
