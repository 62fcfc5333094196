package redistest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// Port is a reserved port of 127.0.0.1. Until Release is called, the kernel does not give it to a program that asks
// for any free port. A server can listen at Addr, stop, and listen there again.
type Port struct {
	Addr string // host:port

	held int // a socket that is bound to the port and does not listen
}

// HoldPort reserves a free port. A server can still listen on it, because both sockets have SO_REUSEADDR and
// the reserving socket never listens.
func HoldPort() (*Port, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("hold a port: %w", err)
	}
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	var at syscall.Sockaddr
	if err == nil {
		at, err = syscall.Getsockname(fd)
	}
	if err != nil {
		return nil, fmt.Errorf("hold a port: %w", errors.Join(err, syscall.Close(fd)))
	}
	in, ok := at.(*syscall.SockaddrInet4)
	if !ok {
		return nil, errors.Join(fmt.Errorf("hold a port: %v is no IPv4 address", at), syscall.Close(fd))
	}
	return &Port{Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(in.Port)), held: fd}, nil
}

// Release ends the reservation. It must be called only once.
func (p *Port) Release() error { return os.NewSyscallError("close", syscall.Close(p.held)) }
