package inspect

import "sync"

// progress counts the files that checks have read.
type progress struct {
	mu    sync.Mutex
	left  map[string]bool // paths of the files that no check has read yet
	total int
}

// saw records that a check has read the file at path.
func (p *progress) saw(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.left, path)
}

func (p *progress) counts() (read, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total - len(p.left), p.total
}
