package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// accepting is from fork to the answer of /healthz, for a folder without realms.
func (b *bench) accepting(ctx context.Context) ([]figure, error) {
	f := figure{name: "start to accepting (/healthz)", unit: seconds, bare: "smallest Go HTTP server"}
	for range 3 * b.runs {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		worlds, err := b.folder()
		if err != nil {
			return nil, err
		}
		addr, err := freeAddr()
		if err != nil {
			return nil, err
		}
		ours, err := b.healthy(ctx, addr, b.server, "-worlds", worlds, "-addr", addr, "-log-level", "error")
		if err != nil {
			return nil, err
		}
		if addr, err = freeAddr(); err != nil {
			return nil, err
		}
		limit, err := b.healthy(ctx, addr, b.bare, "-http", "-addr", addr)
		if err != nil {
			return nil, err
		}
		f.ours, f.limit = append(f.ours, ours.Seconds()), append(f.limit, limit.Seconds())
	}
	return []figure{f}, nil
}

func (b *bench) healthy(ctx context.Context, addr, program string, args ...string) (time.Duration, error) {
	begin := time.Now()
	c, _, err := launch(ctx, b.dir, program, args...)
	if err != nil {
		return 0, err
	}
	defer c.kill()
	conn, err := knock(addr, begin.Add(startTime))
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, c.lastWords())
	}
	defer conn.Close()
	client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil }}}
	resp, err := client.Get("http://" + addr + "/healthz")
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, c.lastWords())
	}
	took := time.Since(begin)
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("/healthz answers %s", resp.Status)
	}
	return took, errors.Join(err, resp.Body.Close())
}

// restart is from fork to the last byte of world:state, for a realm of 10 MB that
// was killed.
func (b *bench) restart(ctx context.Context) ([]figure, error) {
	killed, err := b.folder()
	if err != nil {
		return nil, err
	}
	_, size, err := largeRealm(killed)
	if err != nil {
		return nil, fmt.Errorf("make a large realm: %w", err)
	}
	name := fmt.Sprintf("restart after SIGKILL to the first world:state, world of %.1f MB", float64(size)/(1<<20))
	f := figure{name: name, unit: seconds, bare: "stored bytes, raw TCP", aim: aim{below, 200e-3}}
	stored := b.file("stored")
	for i := range 2*b.runs + 1 {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		worlds, err := b.folder()
		if err != nil {
			return nil, err
		}
		if err := copyFolder(killed, worlds); err != nil {
			return nil, err
		}
		ours, frame, err := b.firstState(ctx, worlds)
		if err != nil {
			return nil, err
		}
		if err := os.RemoveAll(worlds); err != nil {
			return nil, err
		}
		if i == 0 {
			if err := os.WriteFile(stored, make([]byte, frame), 0o600); err != nil {
				return nil, err
			}
		}
		limit, err := b.storedBytes(ctx, stored, frame)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first warms up
			f.ours, f.limit = append(f.ours, ours.Seconds()), append(f.limit, limit.Seconds())
		}
	}
	return []figure{f}, nil
}

func (b *bench) firstState(ctx context.Context, worlds string) (time.Duration, int, error) {
	addr, err := freeAddr()
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	c, _, err := launch(ctx, b.dir, b.server, "-worlds", worlds, "-addr", addr, "-log-level", "error")
	if err != nil {
		return 0, 0, err
	}
	defer c.kill()
	conn, err := knock(addr, begin.Add(startTime))
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, c.lastWords())
	}
	if err := conn.SetReadDeadline(begin.Add(startTime)); err != nil {
		return 0, 0, err
	}
	s, err := upgrade(conn, addr)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, c.lastWords())
	}
	defer s.close()
	if err := s.send(`{"type":"hello","protocol":1}`); err != nil {
		return 0, 0, err
	}
	for {
		p, err := s.frame()
		if err != nil {
			return 0, 0, err
		}
		if bytes.Contains(p, []byte(`"type":"world:state"`)) {
			return time.Since(begin), len(p), nil
		}
	}
}

// storedBytes is a server that reads a file and sends it, and does nothing else.
func (b *bench) storedBytes(ctx context.Context, file string, size int) (time.Duration, error) {
	addr, err := freeAddr()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	c, _, err := launch(ctx, b.dir, b.bare, "-addr", addr, "-file", file)
	if err != nil {
		return 0, err
	}
	defer c.kill()
	conn, err := knock(addr, begin.Add(startTime))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte{'F'}); err != nil {
		return 0, err
	}
	_, err = io.ReadFull(conn, make([]byte, size))
	return time.Since(begin), err
}
