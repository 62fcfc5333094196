//go:build !linux

package redistest

import (
	"fmt"
	"net"
)

// Port is a port of 127.0.0.1 that was free a moment ago. It is not reserved: only Linux lets a server listen
// on a port that another socket has bound.
type Port struct {
	Addr string // host:port
}

// HoldPort finds a free port.
func HoldPort() (*Port, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	return &Port{Addr: l.Addr().String()}, l.Close()
}

// Release does nothing.
func (p *Port) Release() error { return nil }
